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
__device__ __noinline__ int f1(int x) { return f2(x + 1) * f3(x); }
__device__ __noinline__ int f3(int x) { return f4(x + 3) * f5(x); }
__device__ __noinline__ int f5(int x) { return f6(x + 5) * f7(x); }
__device__ __noinline__ int f7(int x) { return f8(x + 7) * f9(x); }
__device__ __noinline__ int f9(int x) { return f10(x + 9) * f11(x); }
__device__ __noinline__ int f11(int x) { return f12(x + 11) * f13(x); }
__device__ int f13(int x) { return x; }
__global__ void k(int *o) { o[0] = f1(o[1]); }
