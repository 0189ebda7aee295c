extern __device__ int d1(int);
__global__ void ka(int *o) { o[0] = d1(o[1]); }
__device__ __noinline__ int local(int x) { return d1(x) + 1; }
__global__ void kb(int *o) { o[0] = local(o[1]); }
