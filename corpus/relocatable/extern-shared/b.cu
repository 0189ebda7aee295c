extern __shared__ __align__(64) char c[];
extern __shared__ double d[];
__global__ void k3(float *o) { __shared__ char x[5]; x[threadIdx.x] = o[0]; __syncthreads(); o[1] = c[3] + x[int(o[2])]; }
__global__ void k4(double *o) { o[1] = d[3]; }
