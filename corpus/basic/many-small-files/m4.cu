__global__ void k4(int *o, double x) { o[4] = x; }
