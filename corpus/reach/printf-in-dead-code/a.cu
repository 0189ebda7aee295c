extern "C" __device__ int printf(const char *, ...);
__device__ void dead() { printf("x"); }
__global__ void k(int *o) { o[0] = 1; }
