inline __device__ __noinline__ double work(const double *p, int n) {
  double q = p[n];
  for (int i = 0; i < n; i++) {
    double z = q * p[i];
    for (int k = 0; k < 5; k++) {
      double w = z + p[k];
      q += w * p[2 * i];
    }
  }
  return q * 2;
}
__global__ void first(double *o, int n) { o[0] = work(o + 1, n); }
