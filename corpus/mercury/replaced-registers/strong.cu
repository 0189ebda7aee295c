__device__ __noinline__ double work(const double *p, int n) {
  double q = p[n];
  for (int i = 0; i < n; i++) {
    double z = q * p[i];
    for (int k = 0; k < 5; k++) {
      double w = z + p[k];
      q += w * p[2 * i];
    }
    double s = 0;
    for (int k = 0; k < n; k++) {
      double v = p[i + k] * 3;
      s += v * s;
    }
    q *= s;
  }
  return q * 2;
}
