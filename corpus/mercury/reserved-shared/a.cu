__global__ void k(int *p) {
	__shared__ int s[64];
	s[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = s[63 - threadIdx.x];
}
