__device__ int g0 = 7;
__device__ int f(int x) { return x * g0; }
__global__ void k2(int *p) { *p = g0; }
