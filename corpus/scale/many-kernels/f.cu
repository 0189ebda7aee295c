// A function of every kernel but the last, and one of the last; both call a third.
__device__ __noinline__ int h(int x) {
  __syncthreads();
  return x * x;
}
__device__ __noinline__ int f(int x) { return h(x) + 1; }
__device__ __noinline__ int g(int x) { return h(x) + 2; }
