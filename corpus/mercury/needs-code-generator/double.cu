__device__ __noinline__ double square(double x) { return x * x; }

__global__ void k(double *p) { p[0] = square(p[1]) + p[2]; }
