extern __device__ int (*step)(int);
__device__ __noinline__ int middle(int x) { return step(x) + 1; }
