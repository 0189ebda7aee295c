#include "product.h"
template __global__ void cutlass_product<2>(const u32 *, float *, int);
template __global__ void cutlass_product<3>(const u32 *, float *, int);
__global__ void cutlass_doubles(const double *A, const double *B, double *C, int k) {
	double c0 = 0, c1 = 0;
	for (int i = 0; i < k; i++)
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c0), "+d"(c1) : "d"(A[i * 32 + threadIdx.x]), "d"(B[i * 32 + threadIdx.x]));
	C[threadIdx.x] = c0 < c1 ? c0 : c1 * 0.5;
}
