extern __constant__ int c; __global__ void k(int *p) { p[0] = c; }
