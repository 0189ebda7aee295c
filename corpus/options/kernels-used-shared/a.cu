__global__ void alpha(int *o) { __shared__ int s[4]; s[o[0]] = 1; __syncthreads(); o[1] = s[o[2]]; }
__global__ void beta(int *o) { __shared__ int t[8]; t[o[0]] = 2; __syncthreads(); o[1] = t[o[2]]; }
