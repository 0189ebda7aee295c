__device__ int g1;
__device__ int g2 = 5;
extern __device__ int gx;
extern __device__ char gy[10];
__global__ void use(int *o) { g1 = o[0] + g2 + gx + gy[o[2]]; }
