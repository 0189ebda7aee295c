__device__ int f(int x) { return x + 1; }
__device__ int (*p)(int) = f;
__global__ void k(int *o) { o[0] = 1; }
