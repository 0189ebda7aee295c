__device__ int f1(int);
__device__ int f2(int);
__device__ int f3(int);
__global__ void k(int *o) { *o = f1(*o) + f2(*o) + f3(*o); }
