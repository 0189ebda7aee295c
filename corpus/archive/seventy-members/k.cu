__device__ int f(int);
__global__ void k(int *o) { *o = f(*o); }
