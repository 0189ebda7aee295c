// The words of CUDA C++ for compilers that do not know them, and the functions that the units of every language share.
#ifndef DEVICE_H
#define DEVICE_H
#ifdef __clang__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BARRIER __nvvm_bar_sync(0)
#else
#define THREAD threadIdx.x
#define BARRIER __syncthreads()
#endif
#define GLUED(a, b) a##b
#define GLUE(a, b) GLUED(a, b)
extern "C" {
__device__ int leaf_add(int a, int b);
__device__ float leaf_scale(float x, int i);
__device__ long long leaf_walk(int *p, int n);
__device__ int mid_sum(int *p, int n);
__device__ float mid_mix(float x, int i);
__device__ int mid_call(int which, int a, int b);
extern __device__ int leaf_table[16];
extern __device__ int (*mid_table[2])(int, int);
#ifdef __clang__
__device__ int vprintf(const char *format, const void *values);
#endif
}
#endif
