extern __device__ int even(int);
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1) + 5; }
