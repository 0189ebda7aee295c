extern __device__ int f4(int);
__device__ int f3(int x) { return f4(x + 3) * 3; }
