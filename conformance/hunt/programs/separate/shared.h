typedef float (*operation)(float);
__device__ float twice(float x);
__device__ float square(float x);
__device__ float factorial(float x);
template <int N> __device__ __noinline__ float clamped(float x) {
	switch ((int)x % 9) {
	case 0: return N;
	case 1: return x * N;
	case 2: return x / N;
	case 3: return x - N;
	case 4: return sqrtf(x + N);
	case 5: return expf(x) * N;
	}
	return x < N ? x : N;
}
