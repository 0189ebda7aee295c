// Inputs of the damaged links: see mercury_a.cu.
__device__ int total = 7;
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ int (*how)(int) = twice;
template <class T> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by; }
template __global__ void scale<int>(int *, int);
__device__ __noinline__ int step(int x) {
  static __shared__ int s[8];
  s[x & 7] = how(x);
  __syncthreads();
  return s[(x + 1) & 7] + twice(x);
}
