__global__ void k(double *o) { o[0] = o[1] * 1.23456789012345; }
