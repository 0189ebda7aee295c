__device__ int v = 3;
__device__ int w[4];
extern __device__ int other;
extern __device__ int f(int a);
__global__ void k(int *p) { *p = f(v) + w[1] + other; }
