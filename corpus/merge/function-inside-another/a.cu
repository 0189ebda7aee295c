__device__ __noinline__ int f(int x) {
	int a[9];
	for (int i = 0; i < x; i++) a[i] = x * i;
	return a[x / 2];
}
__global__ void k(int *o) { o[0] = f(o[1]) + f(o[2]); }
__global__ void k2(int *o) { o[0] = f(o[1]) * 3; }
