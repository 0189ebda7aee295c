typedef int (*fp)(int);
static __device__ __noinline__ int f(int x) { int a[30]; for (int i = 0; i < x; i++) a[i] = i; return a[x / 2]; }
__device__ fp p_b = f;
__global__ void kb(int *o) { o[0] = p_b(o[1]) + f(o[2]); }
