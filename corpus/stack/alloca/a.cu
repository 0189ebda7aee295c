__device__ __noinline__ int f(int n) {
	int *p = (int *)__builtin_alloca(n * 4);
	for (int i = 0; i < n; i++) p[i] = i * n;
	return p[n / 2];
}
__global__ void k(int *o) { o[0] = f(o[1]); }
