static __device__ int g = 3;
static __device__ int z;
static __constant__ int c = 4;
static __device__ __noinline__ int f(int x) { return x * g + z++; }
__global__ void ka(int *o) { o[0] = f(o[1]) + c; }
