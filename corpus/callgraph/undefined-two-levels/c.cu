extern "C" __device__ int printf(const char *, ...);
__device__ int d2(int x) { printf("b"); __syncthreads(); return x; }
__global__ void kc(int *o) { __syncthreads(); o[0] = d2(o[1]); asm volatile("bar.sync 2;"); }
