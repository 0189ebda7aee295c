typedef int (*fp)(int);
__device__ fp slot;
__device__ __noinline__ int target(int x) { return x + 3; }
__device__ void dead() { slot = target; }
__global__ void k(int *o) { o[0] = slot(o[1]); }
