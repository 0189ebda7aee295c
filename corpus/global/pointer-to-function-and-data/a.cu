extern __device__ int f(int);
extern __device__ int v;
__constant__ int c[3] = {1, 2, 3};
struct S { int (*f)(int); int *v; const int *c; int n; };
__device__ S s = {f, &v, &c[1], 5};
__constant__ S cs = {f, &v + 1, c, 6};
__global__ void k(int *o) { o[0] = s.f(o[1]) + *s.v + *s.c + cs.n + *cs.v; }
