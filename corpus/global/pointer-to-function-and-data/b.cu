__device__ int v = 3;
__device__ int f(int x) { return x * v; }
