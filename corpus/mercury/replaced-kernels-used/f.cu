extern __device__ float v;

// Compiled for fewer registers it replaces what is compiled for more. Its Mercury code has
// a relocation.
template <class T> __device__ __noinline__ T sum(int n, T *p) {
	T x[24], s = n;
	for (int i = 0; i < 24; i++) x[i] = p[i];
	if (n == 3) v = x[5];
	for (int i = 0; i < 24; i++) s = s * x[i] + p[i + 24] * x[23 - i];
	return s;
}

template __device__ float sum<float>(int, float *);
