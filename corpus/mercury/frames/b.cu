template <class T> __device__ __noinline__ T twice(T x) { return x + x; }

__device__ __noinline__ int unused2(int x) { return x - 1; }

__global__ void second(int *p) { p[0] = twice(p[1]); }
