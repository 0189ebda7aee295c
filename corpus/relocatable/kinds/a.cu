extern __device__ int callee(int);
__device__ int g[4] = {1, 2, 3, 4};
__device__ int z[4];
__constant__ int c[4] = {5, 6, 7, 8};
extern __shared__ int dyn[];
__device__ __noinline__ int other(int x) { return x - 9; }
__device__ __noinline__ int all(int i) {
	__shared__ int s[4];
	s[i] = i;
	__syncthreads();
	int (*p)(int) = i ? callee : other;
	return g[i] + z[i + 1] + c[i] + s[i + 1] + dyn[i] + p(i) + callee(i + 2) + (int)(long long)&g[2] + (int)(long long)&c[2];
}
__global__ void k(int *o) { o[0] = all(o[1]); }
