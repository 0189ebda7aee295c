extern __device__ int nowhere(int);
__global__ void missing(int *p) { *p = nowhere(*p); }
