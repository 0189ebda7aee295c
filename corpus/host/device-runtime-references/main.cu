__device__ int callee(int);
__global__ void used(int *o) { o[0] = callee(o[1]); }
__global__ void first(int *o) { o[0] = 1; }
__global__ void second(int *o) { o[0] = 2; }
__global__ void other(int *o) { o[0] = 3; }
__global__ void unused(int *o) { o[0] = 4; }
