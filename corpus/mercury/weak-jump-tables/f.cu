extern __device__ float table[64];
template <class T> __device__ __noinline__ T f(int a, T *p) {
  float x[12];
  for (int i = 0; i < 12; i++) x[i] = p[i];
  switch (a) {
  case 0: table[1] = x[0] * 3; break;
  case 1: table[2] = x[1] + x[2]; break;
  case 2: x[3] = table[5]; break;
  case 3: x[4] *= x[5]; break;
  case 4: table[9] = a; break;
  case 5: x[6] = 1 / x[7]; break;
  case 6: x[8] = table[a]; break;
  }
  float s = 0;
  for (int i = 0; i < 12; i++) s = s * x[i] + p[i + 12] * x[11 - i];
  return s;
}

template __device__ float f<float>(int, float *);
