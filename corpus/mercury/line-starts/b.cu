__device__ int v_b;

// Both files have it: the lines of the second are those of the first, in other bytes.
template <class T> __device__ __noinline__ T sum(T *p, int n) {
	T s = 0;
	for (int i = 0; i < n; i++) s += p[i];
	return s;
}

__global__ void plain_b(int *p) { p[0] = v_b; }

__global__ void calls_b(int *p) {
	int first = p[2];
	p[1] = first + sum(p, 3);
}
