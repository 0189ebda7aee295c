__device__ int v0; __global__ void other(int *o) { o[0] = v0; }
