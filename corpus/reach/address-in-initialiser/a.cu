__device__ __noinline__ int f1(int x) { return x * 7 + 1; }
__device__ __noinline__ int f2(int x) { return x * 9 + 1; }
typedef int (*fp)(int);
__device__ fp table[2] = {f1, f2};
__global__ void k(int *o) { o[0] = 1; }
