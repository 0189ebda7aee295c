typedef void (*fp)(int *);
__device__ void f(int *o) { __syncthreads(); o[0] = 1; asm volatile("bar.sync 5;"); }
__device__ fp p = f;
