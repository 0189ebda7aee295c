__global__ void k(int *o) { __shared__ int s[4]; s[o[0]] = 1; __syncthreads(); o[1] = s[o[2]]; }
