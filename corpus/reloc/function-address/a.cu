extern __device__ int callee(int);
__device__ __noinline__ int near(int x) { return x - 1; }
__global__ void k(int *o) { int (*p)(int) = o[1] ? callee : near; o[0] = p(o[2]); o[1] = (int)(long long)p; }
