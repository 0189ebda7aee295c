extern __device__ int f2(int);
__device__ int g1 = 1;
__device__ __noinline__ int f1(int x) { return x < 1 ? x : f2(x / 2) + g1; }
__global__ void k1(int *p) { *p = f1(*p); }
