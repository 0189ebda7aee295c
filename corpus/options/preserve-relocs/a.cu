__constant__ int c[4] = {1, 2, 3, 4};
__device__ int g = 3;
__device__ __noinline__ int f(int x) { return c[x] + g; }
__global__ void k(int *o) { __shared__ int s[4]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = f(o[2]) + s[o[3]]; }
