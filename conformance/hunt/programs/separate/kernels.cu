// One program in two files: functions and their addresses, constants, weak templates.
#include "shared.h"
__constant__ float weights[64];
__device__ operation operations[3] = {twice, square, factorial};
__global__ void apply(float *p, int which, int n) {
	for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = operations[which](p[i]) * weights[i & 63] + clamped<3>(p[i]) + clamped<5>(p[i]);
}
