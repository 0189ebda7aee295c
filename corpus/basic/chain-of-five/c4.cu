extern __device__ int f5(int);
__device__ int f4(int x) { return f5(x + 4) * 3; }
