__shared__ int s[8];
__device__ __noinline__ void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
__global__ void k(int *o) { __shared__ int t[3]; fill(s + 2, o[0]); fill(t, o[1]); __syncthreads(); o[2] = s[o[3]] + t[o[4]]; }
