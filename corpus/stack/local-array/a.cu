__device__ __noinline__ int inner(int n) {
	int a[50];
	for (int i = 0; i < n; i++) a[i] = i * n;
	return a[n / 2];
}
__device__ __noinline__ int outer(int n) {
	int a[20];
	for (int i = 0; i < n; i++) a[i] = inner(i);
	return a[n / 2];
}
__global__ void deep(int *o) { o[0] = outer(o[1]); }
__global__ void flat(int *o) { o[0] = inner(o[1]); }
