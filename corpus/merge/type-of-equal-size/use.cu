extern __device__ float x;
__global__ void use(float *o) { o[0] = x; }
