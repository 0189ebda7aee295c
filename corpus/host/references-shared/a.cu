__device__ __noinline__ int f(int x) { return x + 1; }
__global__ void used(int *o) { __shared__ int s[4]; s[o[0]] = 1; __syncthreads(); o[1] = s[o[2]]; }
__global__ void unused(int *o) { __shared__ int s[8]; s[o[0]] = f(o[3]); __syncthreads(); o[1] = s[o[2]]; }
