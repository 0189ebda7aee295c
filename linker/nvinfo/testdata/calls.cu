// Functions that several kernels share (calls), or that one kernel has for itself (-DONLY).
extern "C" {
__device__ __noinline__ int h(int x) { return x * 3; }
__device__ __noinline__ int f(int x) { free((void *)8); return h(x) + 1; }
__device__ __noinline__ int g(int x) { free(malloc(x)); return h(x + 2) * 5; }
__global__ void k(int *p) { *p = f(*p) + g(p[1]); }
#ifndef ONLY
__global__ void q(int *p) { *p = 1; }
__global__ void kg(int *p) { *p = g(*p); }
#else
__device__ __noinline__ int z(int x) { return x * 7; }
__device__ int (*table[2])(int) = {z, z};
#endif
}
