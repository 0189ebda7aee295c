extern __device__ int f1(int);
extern __device__ int f2(int);
extern __device__ int f3(int);
extern __device__ int f4(int);
extern __device__ int f5(int);
extern __device__ int f6(int);
extern __device__ int f7(int);
extern __device__ int f8(int);
extern __device__ int f9(int);
extern __device__ int f10(int);
extern __device__ int f11(int);
extern __device__ int f12(int);
extern __device__ int f13(int);
__device__ __noinline__ int f2(int x) { return f3(x + 2) * f4(x); }
__device__ __noinline__ int f4(int x) { return f5(x + 4) * f6(x); }
__device__ __noinline__ int f6(int x) { return f7(x + 6) * f8(x); }
__device__ __noinline__ int f8(int x) { return f9(x + 8) * f10(x); }
__device__ __noinline__ int f10(int x) { return f11(x + 10) * f12(x); }
__device__ __noinline__ int f12(int x) { return f13(x + 12) * f13(x); }
