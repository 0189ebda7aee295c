__global__ void limit(const double *p, int *q, double most) { q[threadIdx.x] = p[threadIdx.x] < most; }
