extern "C" __device__ int printf(const char *, ...);
__global__ void k(int *o) { printf("hello %d\n", o[0]); }
