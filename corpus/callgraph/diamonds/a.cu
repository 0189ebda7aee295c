extern __device__ int f1(int);
extern __device__ int f2(int);
extern __device__ int f3(int);
__device__ int mid(int x) { return f3(x) + f1(x) + f2(x); }
__global__ void ka(int *o) { o[0] = f2(o[1]) + f1(o[2]) + mid(o[3]) + f3(o[1]); }
