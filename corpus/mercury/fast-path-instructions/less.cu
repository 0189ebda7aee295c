__global__ void less(const double *p, int *q) { q[threadIdx.x] = p[threadIdx.x] < 3.0; }
