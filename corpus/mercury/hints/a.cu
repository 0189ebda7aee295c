#include "product.h"
template __global__ void cutlass_product<2>(const u32 *, float *, int);
template __global__ void cutlass_product<3>(const u32 *, float *, int);
