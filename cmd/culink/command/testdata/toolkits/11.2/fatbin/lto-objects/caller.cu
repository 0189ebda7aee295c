extern __device__ int callee(int);
__global__ void caller(int *o) { o[0] = callee(o[1]); }
