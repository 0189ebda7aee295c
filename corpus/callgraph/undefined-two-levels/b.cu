extern "C" __device__ int printf(const char *, ...);
extern __device__ int d2(int);
__device__ int d1(int x) { printf("a %d", x); return d2(x) * 2; }
