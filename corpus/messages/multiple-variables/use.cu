extern __device__ int v;
__global__ void use(int *o) { o[0] = v; }
