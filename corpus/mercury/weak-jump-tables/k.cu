__device__ float table[64];
template <class T> __device__ T f(int, T *);
extern template __device__ float f<float>(int, float *);
__global__ void k(int *a, float *p) { p[0] = f(*a, p); }
