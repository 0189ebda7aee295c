__global__ void least(double *p) { p[threadIdx.x] = fmin(p[threadIdx.x], 3.0); }
