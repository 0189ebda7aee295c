extern __device__ int f(int);
__global__ void kb(int *o) { o[0] = f(o[1]); }
