__device__ int v = 3;
__device__ int w = 4;
__global__ void alpha(int *o) { o[0] = v; }
__global__ void beta(int *o) { o[0] = w; }
