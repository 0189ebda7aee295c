__device__ __noinline__ int leaf(int x) { return x + 2; }
__device__ __noinline__ int mid(int x) { return leaf(x) * 3; }
__global__ void k1(int *o) { o[0] = mid(o[1]) + leaf(o[2]); }
__global__ void k2(int *o) { o[0] = leaf(o[1]); }
