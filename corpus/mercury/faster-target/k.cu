// What sm_103 does faster than sm_100: powers of two, counts of bits, comparisons of halves.
#include <cuda_fp16.h>

extern "C" __global__ void powers(float *p, int n) {
  for (int i = 0; i < n; i++) p[i] = exp2f(p[i]) + exp2f(p[i + n]) * __expf(p[i + 2 * n]);
}

extern "C" __global__ void bits(unsigned *p) {
  p[0] = __popc(p[1]) + 3 * __popc(p[2]) + 5 * __popc(p[3] ^ p[4]);
  p[5] = __clz(p[6]) + __popc(p[7]) * __clz(p[8]);
}

extern "C" __device__ float power(float x, float y) { return __fdividef(exp2f(x), exp2f(y)) + __sinf(x) * exp2f(x * y); }

extern "C" __global__ void halves(__half2 *p, int *q, int n) {
  __half2 a = p[threadIdx.x], b = p[n], c = __hadd2(a, b);
  q[0] = n * q[1] + (__hbgt2(a, b) ? 3 : 5) + (__hblt2(c, b) ? q[2] : q[3] * n);
}
