__device__ int unused1 = 3;
__device__ char unused2[5];
__constant__ short unused3 = 7;
__global__ void k(int *o) { o[0] = 1; }
