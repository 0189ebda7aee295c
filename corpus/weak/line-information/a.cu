template <class T> __device__ __noinline__ T twice(T x) { return x * 2; }
__global__ void ka(int *o) { o[0] = twice(o[1]); }
