__global__ void k(int *o) {
	__shared__ char c[3];
	__shared__ double d[3];
	__shared__ int i[5];
	c[threadIdx.x] = o[0];
	d[threadIdx.x] = o[1];
	i[threadIdx.x] = o[2];
	__syncthreads();
	o[3] = c[o[4]] + d[o[5]] + i[o[6]];
}
