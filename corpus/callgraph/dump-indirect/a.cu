typedef int (*fi)(int);
typedef float (*ff)(float, float);
__device__ __noinline__ int i1(int x) { int a[40]; for (int i = 0; i < x; i++) a[i] = i * x; return a[x / 2]; }
__device__ __noinline__ float f1(float x, float y) { float a[60]; for (int i = 0; i < x; i++) a[i] = i * y; return a[int(x) / 2]; }
__device__ fi ti[1] = {i1};
__device__ ff tf[1] = {f1};
__global__ void ki(int *o) { o[0] = ti[o[1]](o[2]); }
__global__ void kf(float *o) { o[0] = tf[int(o[1])](o[2], o[3]); }
__global__ void kb(int *o) { o[0] = ti[o[1]](o[2]) + tf[o[3]](o[4], o[5]); }
