__device__ __noinline__ void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
__device__ __noinline__ int f(int n) { char a[100]; fill(a, n); return a[n / 2]; }
__global__ void k(int *o) { char b[60]; fill(b, o[0]); o[1] = f(o[2]) + b[o[3]]; }
