__device__ int nowhere(int x) { return x + 1; }
