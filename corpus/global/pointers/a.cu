__device__ int g;
__constant__ int cc = 4;
__device__ int arr[4] = {1, 2, 3, 4};
__device__ int *pg = &g;
__device__ int *pa = arr + 2;
__constant__ int *pc = &arr[1];
extern __device__ int ex;
__device__ int *pe = &ex;
__device__ int *pe2 = &ex + 3;
__global__ void ka(int *o) { o[0] = *pg + *pa + *pc + *pe + cc + *pe2; }
