__global__ void k11(int *o, char x) { o[11] = x; }
