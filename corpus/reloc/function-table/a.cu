extern __device__ int f1(int);
extern __device__ int f2(int);
__device__ __noinline__ int f3(int x) { return x / 3; }
typedef int (*fp)(int);
__device__ fp table[3] = {f1, f2, f3};
__global__ void k(int *o) { o[0] = table[o[1]](o[2]); }
