__device__ __noinline__ int r1(int n) { return n < 2 ? n : r1(n - 1) * 3 + r1(n - 2); }
__device__ __noinline__ int r2(int n) { return n < 3 ? n : r2(n / 2) + r2(n / 3); }
__global__ void k1(int *o) { o[0] = r1(o[1]); }
__global__ void k2(int *o) { o[0] = r2(o[1]); }
__global__ void k3(int *o) { o[0] = r2(o[1]) + r1(o[2]); }
