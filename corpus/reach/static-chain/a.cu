static __device__ __noinline__ int low(int x) { return x * 2; }
static __device__ __noinline__ int high(int x) { return low(x) + 1; }
__device__ int dead_a(int x) { return high(x); }
__global__ void ka(int *o) { o[0] = 1; }
