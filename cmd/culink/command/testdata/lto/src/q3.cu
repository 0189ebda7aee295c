extern __device__ int f1(int);
__device__ int g3 = 3;
__device__ __noinline__ int f3(int x) { return x < 3 ? x : f1(x / 2) + g3; }
__global__ void k3(int *p) { *p = f3(*p); }
