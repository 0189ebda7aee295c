extern __device__ int callee(int x);
__constant__ int table[4];
__device__ int counter;

__global__ void k(int *p, int i) {
	__shared__ int s[64];
	s[threadIdx.x] = p[threadIdx.x] + table[i & 3];
	__syncthreads();
	counter = s[i & 63];
	p[0] = callee(counter);
}
