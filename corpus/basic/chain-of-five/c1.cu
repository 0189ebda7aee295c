extern __device__ int f2(int);
__global__ void c1(int *o) { o[0] = f2(o[1]); }
