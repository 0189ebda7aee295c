typedef int (*fp)(int);
__device__ int hungry(int n) {
	int a[30];
	for (int i = 0; i < n; i++) a[i] = i * n;
	return a[n / 2];
}
__device__ fp chosen = hungry;
__device__ float other(float x) { return x; }
__device__ float (*of)(float) = other;
