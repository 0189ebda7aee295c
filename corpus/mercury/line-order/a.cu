extern __device__ int far(int x);
__device__ __noinline__ int unused(int x) { return x * x; }
static __device__ __noinline__ int near(int x) { return x + 5; }
template <class T> __device__ __noinline__ T twice(T x) { return x + x; }

__global__ void last(int *p) { p[0] = near(p[1]) + far(p[2]); }

__global__ void first(int *p) {
	p[0] = twice(p[1]);
	__threadfence();
	p[2] = 1;
}
