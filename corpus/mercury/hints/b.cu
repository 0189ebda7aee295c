#include "product.h"
__device__ int more;
template __global__ void cutlass_product<2>(const u32 *, float *, int);
__global__ void plain(int *p) { p[threadIdx.x] = more; }
