inline __device__ __noinline__ int f(int *p) {
  int s = p[0];
  {
    int q = p[1] * 2;
    s += q;
  }
  return s;
}
__global__ void told(int *p) { *p = f(p); }
