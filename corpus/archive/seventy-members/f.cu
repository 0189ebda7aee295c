__device__ int missing(int);
__device__ int f(int i) { return missing(i); }
