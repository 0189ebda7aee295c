extern __shared__ float4 v[];
__shared__ int g[2];
__device__ __noinline__ float f(int i) { return v[i].x + g[i]; }
__global__ void k1(float *o) { __shared__ float x[33]; x[threadIdx.x] = o[0]; __syncthreads(); o[1] = f(3) + x[3]; }
__global__ void k2(float *o) { o[1] = f(3); }
