extern __device__ int get(int);
__global__ void k(int *o) { __shared__ int s[10000]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = get(o[2]) + s[o[3]]; }
