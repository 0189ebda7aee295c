__device__ int callee(int x) { return x * 5; }
