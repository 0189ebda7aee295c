__device__ int unused = 5;
__device__ int f(int x) { return x * 3; }
