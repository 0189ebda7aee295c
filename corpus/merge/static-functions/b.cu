static __device__ int g = 5;
static __device__ int z;
static __constant__ int c = 6;
static __device__ __noinline__ int f(int x) { return x * g + z++; }
__global__ void kb(int *o) { o[0] = f(o[1]) + c; }
