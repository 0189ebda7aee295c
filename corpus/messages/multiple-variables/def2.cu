__device__ int v = 2;
__device__ int w = 2;
