__device__ __noinline__ int hungry(int x) {
	int a[64], s = 0;
#pragma unroll
	for (int i = 0; i < 64; i++) a[i] = ((volatile int *)(size_t)x)[i];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 64; i++) s += a[i] * a[63 - i];
	return s;
}
__device__ int (*step)(int) = hungry;
