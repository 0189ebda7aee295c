__device__ int f1(int x) { return x * 2; }
__device__ int f2(int x) { return x + 4; }
