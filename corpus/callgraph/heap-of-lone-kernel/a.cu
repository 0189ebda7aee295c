// Only f uses the heap; the kernel that calls it is the only one.
__device__ __noinline__ int f(int n)
{
	free((void *)(long long)n);
	return (int)(long long)malloc(n) + n;
}

__global__ void k(int *p) { p[0] = f(p[1]); }
