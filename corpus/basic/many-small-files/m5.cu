__global__ void k5(int *o, char x) { o[5] = x; }
