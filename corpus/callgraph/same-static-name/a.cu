typedef int (*fp)(int);
static __device__ __noinline__ int f(int x) { int a[10]; for (int i = 0; i < x; i++) a[i] = i; return a[x / 2]; }
__device__ fp p_a = f;
__global__ void ka(int *o) { o[0] = p_a(o[1]) + f(o[2]); }
