extern "C" __global__ void a(int *p) { *p = 1; }
extern "C" __global__ void b(int *p) { __syncthreads(); *p = 1; __syncthreads(); }
extern "C" __global__ void c(int *p) { *p = 2; }
