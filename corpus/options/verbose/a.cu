__device__ int g[100];
__constant__ int c[7];
__device__ __noinline__ int f(int n) { int a[20]; for (int i = 0; i < n; i++) a[i] = i * n; return a[n / 2]; }
__global__ void k1(int *o) { __shared__ int s[10]; s[threadIdx.x] = g[o[0]]; __syncthreads(); o[1] = s[o[2]] + c[o[3]] + f(o[4]); }
__global__ void k2(int *o, double d) { o[0] = d; }
