__constant__ int c[4] = {1, 2, 3, 4};
__shared__ int s[4];
__device__ __noinline__ int f(int x) { return c[x] + s[x]; }
__device__ __noinline__ int dead(int x) { return f(x) * 2; }
__global__ void k(int *o) { s[threadIdx.x] = o[0]; __syncthreads(); o[1] = f(o[2]); }
