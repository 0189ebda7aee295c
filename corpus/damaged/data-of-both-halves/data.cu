__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counts[3] = {5, 6, 7};
__global__ void read(int *p, int i) { *p = table[i & 3] + counts[i % 3]; }
