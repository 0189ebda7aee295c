__device__ int g = 1;
__device__ __noinline__ int f(int x) { int a[8]; for (int i = 0; i < 8; i++) a[i] = x * i; __syncthreads(); return a[x & 7] + g; }
__global__ void k(int *p) { *p = f(*p); }
