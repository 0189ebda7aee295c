__global__ void choose(int *p) {
	if (p[0] > 3)
		p[1] = 2;
	else
		p[2] = p[3] * 7;
}

__global__ void fenced(int *p) {
	if (p[0] > 3)
		p[1] = 2;
	else
		p[2] = p[3] * 7;
	__threadfence();
	p[4] = 1;
}

__device__ __noinline__ int leaf(int x) { return x * 3; }

__global__ void calls(int *p) {
	if (p[0] > 3)
		p[1] = leaf(p[2]);
}
