static __device__ float twice(float x) {
  return x * 2;
}
extern __device__ float other(float);
inline __device__ __noinline__ float both(float x) {
  float a[30], sum = 0;
  for (int i = 0; i < 30; i++) a[i] = other(x + i);
  for (int i = 0; i < 30; i++) sum += twice(a[i]) * other(sum);
  return sum;
}
__global__ void kb(float *o) { *o = both(*o); }
