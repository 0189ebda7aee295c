__global__ void large(int *p) { __shared__ int s[20000]; s[p[0]] = 1; __syncthreads(); *p = s[p[1]]; }
