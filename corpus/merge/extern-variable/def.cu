__device__ int gx;
__device__ char gy[10] = "abc";
__device__ long long gz = 9;
__global__ void def(int *o) { gx = o[0]; gy[o[1]] = gz; }
