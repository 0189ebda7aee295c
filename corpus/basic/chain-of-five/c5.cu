__device__ int f5(int x) { return x - 5; }
