template <int N> __device__ __noinline__ float clamped(float x, int y) {
	switch (y) {
	case 0: return N;
	case 1: return x * N;
	case 2: return x / N;
	case 3: return x - N;
	case 4: return sqrtf(x + N);
	case 5: return __expf(x) * N;
	}
	return x < N ? x : N;
}
