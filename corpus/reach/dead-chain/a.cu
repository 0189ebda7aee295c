extern __device__ int callee(int);
__device__ __noinline__ int dead(int x) { return callee(x) + 1; }
__device__ int deader(int x) { return dead(x) * 2; }
__global__ void k(int *o) { o[0] = 1; }
