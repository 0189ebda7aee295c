__device__ char more[20000001]; __device__ int other; __global__ void q(int *o) { o[0] = more[o[1]] + other; }
