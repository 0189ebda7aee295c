__device__ float third(float x) { return x + 1; }
