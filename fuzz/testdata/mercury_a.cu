// Inputs of the damaged links: with mercury_b.cu, every kind of section of a Mercury half.
extern __device__ int step(int);
extern __device__ int total;
__constant__ int table[4] = {1, 2, 3, 4};
template <class T> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by; }
template __global__ void scale<int>(int *, int);

extern "C" __global__ void run(int *p, int n) {
  __shared__ int s[32];
  extern __shared__ int d[];
  s[threadIdx.x] = p[n];
  d[threadIdx.x] = table[n & 3];
  __threadfence();
  p[0] = step(s[n & 31]) + d[n & 7] + total;
}

extern "C" __global__ void choose(int *p, int k) {
  int x = p[0];
  switch (k) {
  case 0: x = x * 3 + 1; break;
  case 1: x = x ^ p[1]; break;
  case 2: x = __popc(x); break;
  case 3: x = x / 7; break;
  case 4: x = x << p[2]; break;
  case 5: x = p[x & 7]; break;
  }
  __threadfence();
  p[3] = x;
}
