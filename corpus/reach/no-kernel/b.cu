extern __device__ int f(int);
__device__ int g(int x) { return f(x); }
__device__ int (*p)(int) = g;
