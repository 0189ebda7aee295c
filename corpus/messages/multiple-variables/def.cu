__device__ int v = 1;
