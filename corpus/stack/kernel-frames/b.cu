extern __device__ int f2(int);
__device__ int f1(int x) { int a[9]; for (int i = 0; i < x; i++) a[i] = f2(i); return a[x / 2]; }
