__device__ int v_a;

// Both files have it: the lines of the second are those of the first, in other bytes.
template <class T> __device__ __noinline__ T sum(T *p, int n) {
	T s = 0;
	for (int i = 0; i < n; i++) s += p[i];
	return s;
}

__global__ void plain_a(int *p) { p[0] = v_a; }

__global__ void calls_a(int *p) {
	int first = p[2];
	p[1] = first + sum(p, 3);
}
