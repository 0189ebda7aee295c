__global__ void k0(int *o, int x) { o[0] = x; }
