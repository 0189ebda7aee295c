extern __device__ int f1(int);
extern __device__ int f2(int);
__global__ void ka(int *o) { int a[17]; for (int i = 0; i < o[0]; i++) a[i] = o[i]; o[1] = f1(o[2]) + a[o[3]]; }
__global__ void kb(int *o) { o[1] = f2(o[2]) + f1(o[3]); }
