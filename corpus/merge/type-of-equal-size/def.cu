__device__ int x = 4;
