__device__ __noinline__ int f(int a) { return a * 3; }
__device__ __noinline__ int g(int a) { return f(a) * a; }
__device__ int data = 4;
__constant__ double cc = 2.5;
__global__ void child(int *p) { __shared__ int s[32]; s[threadIdx.x] = p[1]; __syncthreads(); *p = g(s[31 - threadIdx.x]) + data; }
__global__ void plain(int *p) { *p = f(2); }
