__device__ int v = 3;
__global__ void used(int *o) { o[0] = v; }
__global__ void unused(int *o) { o[0] = 2; }
