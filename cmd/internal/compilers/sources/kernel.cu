// Two kernels. MAKER is the name of the compiler, so that kernels of several compilers can be linked together.
#include "device.h"

static __constant__ int limits[4] = {3, 5, 7, 9};
extern __shared__ float dynamic[];

extern "C" {
__global__ void GLUE(k1_, MAKER)(int *p, int n) {
  __shared__ int part[32];
  part[THREAD & 31] = mid_sum(p, n & limits[n & 3]);
  BARRIER;
  p[THREAD] = part[n & 31] + mid_call(n, p[0], p[1]) + (int)leaf_walk(p, n);
}

__global__ void GLUE(k2_, MAKER)(float *p, int n) {
  dynamic[THREAD] = mid_mix(p[THREAD], n);
  BARRIER;
  p[n] = dynamic[n] + leaf_table[n & 15];
}
}
