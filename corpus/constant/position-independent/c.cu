extern __device__ int other;
__global__ void plain(int *p) { *p = other; }
