extern __device__ double scale(double);
__global__ void ka(double *o) { o[0] = scale(o[1]) * 1.23456789012345 + o[2] * 9.87654321098765; }
