__global__ void k1(int *o, double x) { o[1] = x; }
