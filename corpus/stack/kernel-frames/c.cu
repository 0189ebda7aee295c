__device__ int f2(int x) { int a[33]; for (int i = 0; i < x; i++) a[i] = i * x; return a[x / 2]; }
__global__ void kc(int *o) { o[0] = f2(o[1]); }
