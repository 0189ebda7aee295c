static __device__ __noinline__ int low(int x) { return x * 3; }
static __device__ __noinline__ int high(int x) { return low(x) + 1; }
__device__ int dead_b(int x) { return high(x); }
__global__ void kb(int *o) { o[0] = low(o[1]); }
