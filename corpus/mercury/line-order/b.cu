template <class T> __device__ __noinline__ T twice(T x) { return x + x; }
__device__ __noinline__ int far(int x) { return twice(x) * 9; }

__global__ void other(int *p) {
	p[5] = 3;
	__threadfence();
	p[0] = p[3];
}
