__device__ int other = 5;
__constant__ int c[3] = {1, 2, 3};
extern __device__ int v;
__device__ int f(int a) { return a + v + c[a & 1]; }
