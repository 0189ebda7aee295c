__device__ int get(int i) { __shared__ int t[8000]; t[i] = i; __syncthreads(); return t[i + 1]; }
