// For -G: no function of the runtime's headers, which would be compiled too.
extern "C" __device__ __noinline__ int twice(int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += p[i] * 2;
  asm volatile("fence.sc.gpu;" ::: "memory");
  return sum;
}
extern "C" __global__ void calls(int *p) { p[0] = twice(p + 1, p[2]); }
extern "C" __global__ void closed(int *p, int n) {
  int sum = n;
  for (int i = 0; i < n; i++) {
    int v = p[i];
    asm volatile("fence.sc.gpu;" ::: "memory");
    if (v > 3) {
      sum += v;
      asm volatile("fence.sc.cta;" ::: "memory");
      p[i] = sum;
    }
  }
  p[n] = sum;
}
extern "C" __global__ void leaves(int *p) {
  if (p[0] == 2) {
    asm volatile("fence.sc.sys;" ::: "memory");
    return;
  }
  p[1] = 2;
}
extern "C" __global__ void stores(unsigned long long surface, int x) {
  asm volatile("sust.b.1d.b32.trap [%0, {%1}], {%1};" ::"l"(surface), "r"(x));
  asm volatile("fence.sc.gpu;" ::: "memory");
}
