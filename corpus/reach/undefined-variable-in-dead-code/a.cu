extern __device__ int nowhere;
__device__ int dead(int x) { return nowhere + x; }
__global__ void k(int *o) { o[0] = 1; }
