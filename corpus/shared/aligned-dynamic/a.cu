extern __shared__ __align__(128) char dyn[];
__global__ void k(int *o) { __shared__ int s[3]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = dyn[o[2]] + s[o[3]]; }
