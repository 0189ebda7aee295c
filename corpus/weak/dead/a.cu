template <class T> __device__ __noinline__ T twice(T x) { return x * 2; }
__device__ int usea(int x) { return twice(x); }
__global__ void ka(int *o) { o[0] = 1; }
