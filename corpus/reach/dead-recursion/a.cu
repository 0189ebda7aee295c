__device__ __noinline__ int dead(int x) { return x < 2 ? 1 : dead(x - 1) * dead(x - 2); }
__global__ void k(int *o) { o[0] = 1; }
