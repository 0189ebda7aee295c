// Kernels and functions of every class, without a header: what is recorded is made
// from this file alone.
extern "C" __constant__ int table[64] = {1, 2, 3};
extern "C" __device__ __noinline__ int fenced(int *p) { p[1] = 2; __threadfence(); return p[3]; }
extern "C" __global__ void calls(int *p) { p[2] = fenced(p + 4); __threadfence(); p[9] = 1; }
extern "C" __global__ void clean(int *p) { p[threadIdx.x] += 1; }
extern "C" __global__ void constants(int *p, int n) { p[0] = table[n] + table[5]; }
extern "C" __global__ void branches(int *p) { if (p[0] > 3) p[1] = 2; else p[2] = p[3] * 7; }
extern "C" __global__ void fences(int *p, volatile int *q) {
  for (int k = 0; k < p[0]; k++) {
    __threadfence();
    q[k] = p[k + 3];
    if (q[k] > 5) __threadfence_block();
    asm volatile("fence.acq_rel.cta;" ::: "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    p[k + 4]++;
  }
}
extern "C" __global__ void switches(int *p) {
  __shared__ int s[64];
  int n = p[threadIdx.x];
  s[threadIdx.x] = n;
  __threadfence();
  switch (n) {
  case 0: p[0] = p[9] * 7; __threadfence(); break;
  case 1: p[1] = __popc(p[2]); break;
  case 2: p[4] = p[5] ^ p[6]; __threadfence_system(); break;
  case 3: p[7] += __clz(p[8]); break;
  case 4: p[10] = atomicAdd(p + 3, 4); break;
  case 5: p[12] = s[n]; __threadfence_block(); break;
  case 6: p[20] = 1; break;
  case 7: p[33] = p[1] ^ p[2]; break;
  }
  p[n] = s[n ^ 1];
}
extern "C" __global__ void doubles(double *p) { p[threadIdx.x] += p[threadIdx.x + 32]; __threadfence(); p[0] = 1; }
extern "C" __global__ void copies(int *p) {
  __shared__ int s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * threadIdx.x);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(p));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x ^ 7];
  __threadfence();
}
extern "C" __device__ __noinline__ int counts(unsigned n) { return __popc(n) * __popc(n ^ 3 | n << 4); }
extern "C" __device__ __noinline__ double adds(double a, double b) { return a + b; }
extern "C" __global__ void calls_counts(int *p) { p[0] = counts(p[1]) + (int)adds(p[2], p[3]); }
