extern __shared__ double other[];
__global__ void kb(double *o) { other[threadIdx.x] = o[0]; __syncthreads(); o[1] = other[3]; }
