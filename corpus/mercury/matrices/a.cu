// Products of matrices by the tensor unit, as mma.sync of PTX.
__global__ void halves(float* d, const unsigned* a, const unsigned* b, int n) {
  float c[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    const unsigned *x = a + 128 * i + 4 * threadIdx.x, *y = b + 64 * i + 2 * threadIdx.x;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  }
  for (int i = 0; i < 4; i++) d[4 * threadIdx.x + i] = c[i];
}
__global__ void bytes(int* d, const unsigned* a, const unsigned* b, int n) {
  int c[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    const unsigned *x = a + 128 * i + 4 * threadIdx.x, *y = b + 64 * i + 2 * threadIdx.x;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  }
  for (int i = 0; i < 4; i++) d[4 * threadIdx.x + i] = c[i];
}
__global__ void doubles(double* d, const double* a, const double* b, int n) {
  double c[2] = {0, 0};
  for (int i = 0; i < n; i++)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[0]), "+d"(c[1]) : "d"(a[32 * i + threadIdx.x]), "d"(b[32 * i + threadIdx.x]));
  d[2 * threadIdx.x] = c[0] * 2.5 + c[1];
  d[2 * threadIdx.x + 1] = c[1];
}
__global__ void loads(unsigned* d, const unsigned* a) {
  __shared__ unsigned room[512];
  room[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(room + 4 * threadIdx.x), r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  d[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
}
