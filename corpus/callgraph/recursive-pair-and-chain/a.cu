__device__ __noinline__ int b(int x);
__device__ __noinline__ int a(int x) { return x < 1 ? 0 : b(x - 1) + 1; }
__device__ __noinline__ int b(int x) { return x < 1 ? 1 : a(x - 2) * 2; }
__device__ __noinline__ int c(int x) { return a(x) + 5; }
__global__ void k(int *o) { o[0] = c(o[1]); }
