extern __shared__ int dyn[];
__global__ void only(int *o) { dyn[threadIdx.x] = o[0]; __syncthreads(); o[1] = dyn[o[2]]; }
__global__ void both(int *o) {
	__shared__ char c[7];
	c[threadIdx.x] = o[0];
	dyn[threadIdx.x] = o[1];
	__syncthreads();
	o[1] = dyn[o[2]] + c[o[3]];
}
