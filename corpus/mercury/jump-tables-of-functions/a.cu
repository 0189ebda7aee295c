__device__ __noinline__ int one(int i, int x) {
	switch (i) {
	case 0: return x + 3;
	case 1: return x * 40;
	case 2: return x ^ 77;
	case 3: return x - 114;
	case 4: return x | 151;
	case 5: return x + 188;
	case 6: return x * 225;
	case 7: return x ^ 262;
	case 8: return x - 299;
	case 9: return x | 336;
	case 10: return x + 373;
	case 11: return x * 410;
	}
	return 0;
}
__device__ __noinline__ int other(int i, int x) {
	switch (i) {
	case 0: return x + 5;
	case 1: return x * 42;
	case 2: return x ^ 79;
	case 3: return x - 116;
	case 4: return x | 153;
	case 5: return x + 190;
	case 6: return x * 227;
	case 7: return x ^ 264;
	case 8: return x - 301;
	case 9: return x | 338;
	case 10: return x + 375;
	case 11: return x * 412;
	}
	return 0;
}
__global__ void k(int *o) { *o = one(o[1], o[2]) + other(o[3], o[4]); }
__global__ void m(int *o) { *o = other(o[1], o[2]); }
__device__ __forceinline__ int own(int i, int x) {
	switch (i) {
	case 0: return x + 3;
	case 1: return x * 40;
	case 2: return x ^ 77;
	case 3: return x - 114;
	case 4: return x | 151;
	case 5: return x + 188;
	case 6: return x * 225;
	case 7: return x ^ 262;
	case 8: return x - 299;
	case 9: return x | 336;
	case 10: return x + 373;
	case 11: return x * 410;
	}
	return 0;
}
__global__ void n(int *o) { *o = own(o[5], 1) + one(o[1], o[2]); }
