__device__ void sync(int *o) { __syncthreads(); o[0] = 1; asm volatile("bar.sync 3;"); }
