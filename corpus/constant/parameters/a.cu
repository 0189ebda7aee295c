struct S { int a; double b[3]; };
struct P { int a[40]; };
__global__ void k1(int *o, S p, char q) { o[0] = p.b[o[1]] + p.a + q; }
__global__ void k2(const __grid_constant__ P p, int *o) { o[threadIdx.x] = p.a[threadIdx.x]; }
__global__ void k3() {}
