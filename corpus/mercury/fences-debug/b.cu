__device__ __noinline__ int leaf(int x) { return x * 3; }

__global__ void other(int *p) {
	int local = leaf(p[1]);
	p[0] = local;
}
