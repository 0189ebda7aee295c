extern __device__ int v[3];
__global__ void k(int *o) { o[0] = v[o[1]]; }
