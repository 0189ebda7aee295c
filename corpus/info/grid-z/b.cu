__device__ int z(int x) { return x + blockIdx.z; }
