template <class T> __device__ __noinline__ T rotate(T x) {
	__shared__ T s[4];
	s[threadIdx.x] = x;
	__syncthreads();
	return s[1];
}
__global__ void kb(int *o) { o[0] = rotate(o[1]); }
