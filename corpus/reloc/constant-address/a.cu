__constant__ int c[4] = {1, 2, 3, 4};
__constant__ int d[4] = {1, 2, 3, 4};
__device__ const int *p = &c[2];
__device__ __noinline__ int sum(const int *q, int n) { int s = 0; for (int i = 0; i < n; i++) s += q[i]; return s; }
__global__ void k(int *o) { o[0] = sum(o[1] ? c : d + 1, o[2]) + *p; }
