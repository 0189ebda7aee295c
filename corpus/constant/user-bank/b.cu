__constant__ char d0 = 1;
__constant__ int d1;
extern __constant__ int c1[3];
__global__ void kb(int *o) { o[0] = c1[o[1]] + d0 + d1; }
