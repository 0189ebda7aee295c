__shared__ int cells[30];
__device__ __noinline__ int around(int k) { cells[k] = k; __syncthreads(); return cells[k ^ 1]; }
__global__ void alpha(int *o) { *o = around(1); }
__global__ void beta(int *o) { *o = around(2); }
__global__ void gamma(int *o) { *o = around(3); }
__global__ void delta(int *o) { *o = around(4); }
__global__ void epsilon(int *o) { *o = around(5); }
__device__ void (*kernels[5])(int *) = {alpha, beta, gamma, delta, epsilon};
__global__ void table(void **o) { *o = (void *)kernels[(long)*o]; }
