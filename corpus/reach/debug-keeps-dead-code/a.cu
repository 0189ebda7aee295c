__device__ __noinline__ int dead(int x) { return x * x; }
__global__ void k(int *o) { o[0] = 1; }
