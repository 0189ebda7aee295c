__device__ int total = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ int step(int x) { __shared__ int s[8]; s[x & 7] = x; __syncthreads(); return s[(x + 1) & 7] + twice(x); }
__global__ void unused(float *p) { *p *= 2; }
