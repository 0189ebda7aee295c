__attribute__((weak)) __device__ int wf(int);
__global__ void k(int *o) { o[0] = wf(o[1]); }
