// Kernels whose scoreboards tell in which order blocks are gone through, and what shares one.
extern "C" __global__ void counts(int *p, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = i * n;
  for (; k < i * n + n; k++) atomicAdd(p + i, k & 1);
  for (int j = 0; j < m; j += 4) {
    atomicAdd(p + i, j & 3); atomicAdd(p + i, j & 5); atomicAdd(p + i, j & 6); atomicAdd(p + i, j & 7);
  }
}
extern "C" __global__ void scan(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned lo[256], hi[256];
  int t = threadIdx.x;
  unsigned v = t < n ? in[t] : 0;
  lo[t] = v; hi[t] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) { if (t + s < n) lo[t] = min(lo[t], lo[t + s]); }
    else if (t < n && t < 2 * s) hi[t - s] = max(hi[t - s], hi[t]);
    __syncthreads();
  }
  if (t == 0) { out[0] = lo[0]; out[1] = hi[0]; }
}
extern "C" __global__ void force(double *p, const double *q, double a, double b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = q[i] - a, y = q[i + n] - b, r = x * x + y * y;
  if (r > 0.5) { double s = 1.0 / sqrt(r); p[i] = x * s * s * s; p[i + n] = y * s * s * s; }
  else p[i] = fma(x, y, r);
}
extern "C" __global__ void dense(const float *a, const float *b, float *out, int w, const int *offsets) {
  int row = blockIdx.x, begin = offsets[row], size = offsets[row + 1] - begin;
  for (int k = threadIdx.x; k < size; k += blockDim.x) out[begin + k] = a[begin + k] + b[row * w + k % w];
}
