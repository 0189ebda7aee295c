extern __device__ int nowhere(int);
__device__ int dead(int x) { return nowhere(x) + 1; }
__global__ void k(int *o) { o[0] = 1; }
