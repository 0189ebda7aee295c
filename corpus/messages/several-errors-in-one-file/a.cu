__device__ int v = 1;
__device__ int w = 1;
__constant__ int c = 3;
