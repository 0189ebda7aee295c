extern __device__ double g(double);
__device__ double f(double x) { return g(x * 1.0987654321098) + 2.3456789012345; }
