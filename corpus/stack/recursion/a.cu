__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k1(int *o) { o[0] = fib(o[1]); }
__global__ void k2(int *o) { o[0] = 1; }
__global__ void k3(int *o) { o[0] = fib(o[2]); }
