__device__ int counter;
__global__ void k1(int *o) { if (o[threadIdx.x] > 3) atomicAdd(&counter, 1); }
__global__ void k2(int *o) { o[threadIdx.x] = atomicAdd(&counter, 2); }
