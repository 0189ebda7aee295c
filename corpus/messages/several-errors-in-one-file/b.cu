__device__ int v = 2;
__device__ int w[2] = {2};
__constant__ int c = 4;
