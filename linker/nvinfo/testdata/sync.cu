// Warps, barriers, launch bounds, half atomics, big parameters, recursion.
extern __device__ int outside(int);
struct Big { int a[1100]; };
__global__ void __launch_bounds__(128) bounds(int *p) {
  int v = p[threadIdx.x];
  asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
  asm volatile("bar.warp.sync %0;" ::"r"(p[1]));
  p[blockIdx.z] = v;
}
__global__ void vote(int *p) {
  int v = p[0];
  asm volatile("{ .reg .pred q; setp.ne.s32 q, %0, 0; vote.sync.any.pred q, q, 15; selp.s32 %0, 1, 0, q; }" : "+r"(v));
  p[1] = v;
  __syncthreads();
  asm volatile("redux.sync.add.s32 %0, %0, -1;" : "+r"(v));
  p[2] = v;
}
__global__ void atomic(unsigned short *h, short v) { asm volatile("{ .reg .b16 o; atom.global.add.noftz.f16 o, [%0], %1; }" ::"l"(h), "h"(v)); }
__global__ void large(Big b, int *p) { *p = b.a[*p]; }
__global__ void call(int *p) { *p = outside(*p); }
__device__ __noinline__ int recurse(int n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }
__global__ void deep(int *p) { *p = recurse(*p); }
