__device__ int v[2] = {1};
__device__ int w = 1;
