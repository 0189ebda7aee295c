// Instructions of every unit, so that the code has records of many kinds.
struct Node { double w; long long n; };
__device__ __noinline__ double shared_work(double x, long long n) {
  double s = 0;
  for (long long i = 0; i < n; i++) s = fma(s, x, (double)(i * n)) / (x + 1.5);
  return s;
}
__global__ void doubles(Node* p, const float* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double w = p[i].w * f[i] + (double)p[i].n;
  long long t = (long long)rint(w);
  p[i].n = t / (n + 3) + __popcll(t) + __clzll(t);
  p[i].w = sqrt(w) + sin(w) + shared_work(w, t);
  if (w > 3.0 && w < 9.0) p[i].w = floor(w);
}
__global__ void functions(float* p, int n) {
  int i = threadIdx.x;
  float x = p[i];
  p[i] = __sinf(x) * __expf(x) + rsqrtf(x) + __popc(__float_as_int(x)) + __brev(i) + __ffs(n);
}
__global__ void warps(int* p, unsigned mask) {
  int v = p[threadIdx.x];
  if (threadIdx.x & 1) {
    v += __shfl_xor_sync(mask, v, 2);
    v += __ballot_sync(mask, v > 3);
    v += __match_any_sync(mask, v);
    __syncwarp(mask);
    v += __reduce_add_sync(mask, v);
  }
  p[threadIdx.x] = v;
}
__global__ void cases(int* p, int n) {
  int v = p[threadIdx.x];
  switch (n) {
  case 0: v = v * 3 + 1; break;
  case 1: v = v / n; break;
  case 2: v = __clz(v); break;
  case 3: v ^= p[v & 31]; break;
  case 4: v = atomicAdd(p, v); break;
  case 5: v = atomicExch(p + 1, v); break;
  case 6: v = p[0] - p[1]; break;
  case 7: v = min(v, p[2]); break;
  case 8: __threadfence(); v = p[3]; break;
  }
  p[threadIdx.x] = v;
}
__global__ void copies(int* out, const int* in, int n) {
  __shared__ int room[2][128];
  for (int i = 0; i < n; i++) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&room[i & 1][threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + i * 128 + threadIdx.x));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    out[threadIdx.x] += room[(i + 1) & 1][127 - threadIdx.x];
  }
}
__global__ void next(int* p) {
  asm volatile("griddepcontrol.wait;");
  p[threadIdx.x] += 1;
  asm volatile("griddepcontrol.launch_dependents;");
}
typedef int (*Function)(int);
__device__ int first(int x) { return x * 3; }
__device__ int second(int x) { return x + 7; }
__device__ Function functions_of[2] = {first, second};
__global__ void calls(int* p, int n) {
  for (int i = 0; i < n; i++) p[i] = functions_of[p[i] & 1](p[i]);
}
