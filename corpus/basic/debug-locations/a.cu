struct point { int x, y; float f[4]; };
extern __device__ int twice(int v);
__device__ int sum(const point *p, int n) { int s = 0; for (int i = 0; i < n; i++) { int k = p[i].x * p[i].y; s += k; } return s; }
__global__ void k(point *p, int n, int *out) { point local = p[threadIdx.x]; local.x += n; int t = twice(local.x); *out = t + sum(p, n) + local.y; }
