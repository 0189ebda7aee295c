__shared__ int table[5];
__device__ __noinline__ int get(int i) { return table[i]; }
__global__ void k1(int *o) { __shared__ int own[9]; own[threadIdx.x] = o[0]; table[0] = o[1]; __syncthreads(); o[2] = get(o[3]) + own[o[4]]; }
__global__ void k2(int *o) { __shared__ double own[2]; own[threadIdx.x] = o[0]; table[1] = o[1]; __syncthreads(); o[2] = get(o[3]) + own[o[4]]; }
__global__ void k3(int *o) { o[0] = 1; }
