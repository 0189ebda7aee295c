__device__ __noinline__ int deeper(int x) {
	int c[1000];
	for (int i = 0; i < 1000; i++) c[i] = x ^ i;
	return c[x % 1000];
}
__device__ __noinline__ int wide(int x) {
	int b[200];
	for (int i = 0; i < 200; i++) b[i] = x + i;
	return deeper(b[x % 200]) + b[(x + 1) % 200];
}
