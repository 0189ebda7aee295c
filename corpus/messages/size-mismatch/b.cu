__device__ int v[4] = {1};
