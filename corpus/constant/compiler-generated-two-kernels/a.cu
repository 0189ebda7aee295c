extern __device__ double f(double);
extern __device__ double g(double);
__global__ void k1(double *o) { o[0] = f(o[1]); }
__global__ void k2(double *o) { o[0] = g(o[1]) * 7.1234567890123; }
