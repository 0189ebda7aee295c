__device__ int g;
__global__ void k2(int *p) { *p = g; }
