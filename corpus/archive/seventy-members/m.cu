__device__ int missing(int i) { return i + 1; }
