__shared__ int s[4];
__constant__ int c[3] = {1};
__global__ void k(int *o) { s[o[0]] = 1; __syncthreads(); o[1] = s[o[2]] + c[o[3]]; }
