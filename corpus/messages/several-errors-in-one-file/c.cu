__device__ int v = 3;
