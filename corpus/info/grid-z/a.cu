extern __device__ int z(int);
__global__ void ka(int *o) { o[0] = z(o[1]); }
__global__ void kb(int *o) { o[0] = blockIdx.z + gridDim.z; }
__global__ void kc(int *o) { o[0] = 1; }
