__device__ __noinline__ int used(int x) { return x + 2; }
__device__ __noinline__ int dead(int x) { return x * x; }
__global__ void k(int *o) { o[0] = used(o[1]); }
