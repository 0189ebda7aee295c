extern __device__ int missing(int);
__global__ void k3(int *p) { *p = missing(*p); }
