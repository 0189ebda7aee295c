#include "weak.h"
__device__ __noinline__ float chosen(float x, int n) {
	switch (n) {
	case 0: return x * 2;
	case 1: return sqrtf(x);
	case 2: return x / 3;
	case 3: return x + 4;
	case 4: return x * x;
	case 5: return 1 / x;
	case 6: return x - 9;
	}
	return 0;
}
__global__ void k3(float *p) { p[0] = chosen(p[3], (int)p[4]); }
__global__ void k0(float *p) { p[0] = chosen(p[3], 1 + (int)p[4]); }
__global__ void k1(float *p) { p[0] = clamped<3>(p[1], (int)p[2]) + chosen(p[3], (int)p[4]); }
__global__ void k5(float *p) { p[0] = chosen(p[3], 2 + (int)p[4]); }
__global__ void k2(float *p) { p[0] = chosen(p[3], (int)p[4]) + clamped<3>(p[1], (int)p[2]); }
