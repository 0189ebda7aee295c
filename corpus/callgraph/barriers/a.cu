extern __device__ void sync(int *o);
__global__ void k1(int *o) { sync(o); o[1] = 2; }
__global__ void k2(int *o) { o[1] = 2; }
