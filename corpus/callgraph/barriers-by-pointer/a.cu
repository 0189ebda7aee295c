typedef void (*fp)(int *);
extern __device__ fp p;
__global__ void k1(int *o) { p(o); }
__global__ void k2(int *o) { o[0] = 1; }
