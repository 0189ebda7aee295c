__device__ float v;

__global__ void used(int *p) { p[0] = 1; }
