__device__ int middle(int);
__global__ void k(int *o) { o[0] = middle(o[1]); }
