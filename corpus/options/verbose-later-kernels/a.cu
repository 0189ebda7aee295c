extern __global__ void later(int *);
extern __global__ void last(int *);
__global__ void first(void **o) { o[0] = (void *)later; o[1] = (void *)last; }
__global__ void second(int *o) { *o = 1; }
