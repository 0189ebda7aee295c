extern __device__ int f(int);
extern __device__ int v;
extern __constant__ int c[3];
__global__ void k(int *o) { o[0] = f(o[1]) + v + c[o[2]]; }
