__device__ __noinline__ int f2(int x) { return x * x - 3; }
__device__ __noinline__ int f3(int x) { return f2(x) + 1; }
__device__ __noinline__ int f1(int x) { return f3(x) * f2(x + 1); }
__global__ void kb(int *o) { o[0] = f1(o[1]) + f3(o[2]); }
