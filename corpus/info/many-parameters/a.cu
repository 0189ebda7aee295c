struct P { int a[1500]; };
__global__ void k(const __grid_constant__ P p, int *o) { o[0] = p.a[o[1]]; }
