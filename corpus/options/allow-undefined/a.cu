extern __device__ int v;
__global__ void k(int *o) { o[0] = v; }
