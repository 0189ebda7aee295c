__global__ void k6(int *o, int x) { o[6] = x; }
