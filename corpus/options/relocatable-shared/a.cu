extern __shared__ int dyn[];
__global__ void ka(int *o) { dyn[threadIdx.x] = o[0]; __syncthreads(); o[1] = dyn[o[2]]; }
