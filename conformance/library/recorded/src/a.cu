extern __device__ int f(int);
__constant__ int coef[4] = {1,2,3,4};
__global__ void k(int *p) { *p = f(*p) + coef[*p & 3]; }
