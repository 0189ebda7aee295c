__device__ __noinline__ int f(int x) { return x + 1; }
__device__ __noinline__ int g(int x) { return x * x; }
__device__ int v = 3;
__global__ void alpha(int *o) { o[0] = f(o[1]); }
__global__ void beta(int *o) { o[0] = g(o[1]) + v; }
__global__ void gamma(int *o) { o[0] = f(o[1]) + 5; }
