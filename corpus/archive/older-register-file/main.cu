__device__ int callee(int);
__global__ void caller(int *p) { *p = callee(*p); }
