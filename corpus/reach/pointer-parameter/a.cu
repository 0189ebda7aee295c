extern __device__ int apply(int (*)(int), int);
__device__ __noinline__ int inc(int x) { return x + 1; }
__device__ __noinline__ int dec(int x) { return x - 1; }
__global__ void k(int *o) { o[0] = apply(o[1] ? inc : dec, o[2]); }
