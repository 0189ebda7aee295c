__shared__ int common[8];
__device__ int even(int x) { common[x & 7] = x; return common[(x + 1) & 7]; }
__device__ __noinline__ int deep(int x) { int a[20]; a[x % 20] = x; return a[(x + 3) % 20]; }
__device__ int odd(int x) { return deep(x) * 3; }
