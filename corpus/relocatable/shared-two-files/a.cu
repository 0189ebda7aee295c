extern __device__ int get(int);
extern __shared__ double dyn[];
__global__ void k1(int *o) { __shared__ char c[5]; c[threadIdx.x] = o[0]; __syncthreads(); o[1] = get(o[2]) + c[o[3]]; }
__global__ void k2(int *o) { dyn[threadIdx.x] = o[0]; __syncthreads(); o[1] = get(o[2]) + dyn[o[3]]; }
