__global__ void k2(int *o, char x) { o[2] = x; }
