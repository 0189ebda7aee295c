__device__ __noinline__ int f(int i) { __shared__ int t[6000]; t[i] = i; __syncthreads(); return t[i + 1]; }
__global__ void k(int *o) { __shared__ int s[7000]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = f(o[2]) + s[o[3]]; }
