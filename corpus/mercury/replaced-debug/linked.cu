inline __device__ __noinline__ int f(int *p) {
  int s = 0;
  for (int i = 0; i < p[9]; i++) {
    p[i] += i * p[i + 1];
    if (p[i] == 3) p[3] = p[4] / p[5];
    s ^= p[s & 7] % p[2];
  }
  return s + p[1] / 3;
}
__global__ void linked(int *p) { *p = f(p); }
