__device__ int g;
__device__ __noinline__ int f(int x) { return x + g; }
__global__ void k(int *o) { int (*p)(int) = f; o[0] = p(o[1]) + f(o[2]); }
