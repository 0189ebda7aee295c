#include "shared.h"
extern __constant__ float weights[64];
__shared__ float scratch[128];
__device__ float twice(float x) { return x + x; }
__device__ float square(float x) { return x * x + weights[1]; }
__device__ __noinline__ float factorial(float x) { return x < 2 ? 1 : x * factorial(x - 1); }
__global__ void exchange(float *p) {
	scratch[threadIdx.x] = clamped<3>(p[threadIdx.x]);
	__syncthreads();
	p[threadIdx.x] = scratch[127 - threadIdx.x] + sinf(p[0]) + (float)pow((double)p[1], 1.5);
}
