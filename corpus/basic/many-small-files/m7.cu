__global__ void k7(int *o, double x) { o[7] = x; }
