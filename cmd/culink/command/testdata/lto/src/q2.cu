extern __device__ int f3(int);
__device__ int g2 = 2;
__device__ __noinline__ int f2(int x) { return x < 2 ? x : f3(x / 2) + g2; }
__global__ void k2(int *p) { *p = f2(*p); }
