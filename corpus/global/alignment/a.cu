__device__ char a = 1;
__device__ double b = 2;
__device__ char c[3];
__device__ short d[3];
__device__ __align__(64) char e[3];
__global__ void ka(int *o) { o[0] = a + b + c[o[1]] + d[o[2]] + e[o[3]]; }
