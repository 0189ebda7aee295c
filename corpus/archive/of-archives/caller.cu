__device__ int callee(int);
extern "C" __global__ void k(int *p) { *p = callee(1); }
