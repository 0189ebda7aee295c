// 8-bit floats on tensor cores, with conversions.
typedef unsigned u32;
__device__ void mma(float (&d)[4], const u32 *a, const u32 *b) {
	asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ u32 pack(float x, float y) {
	unsigned short s;
	asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(s) : "f"(x), "f"(y));
	return s;
}
__global__ void cutlass_fp8(const float *A, const u32 *B, float *C, int k) {
	float d[2][4] = {};
	for (int i = 0; i < k; i++) {
		u32 a[4], b[4];
		for (int j = 0; j < 4; j++) {
			const float *p = A + (i * 4 + j) * 128 + threadIdx.x;
			a[j] = pack(p[0], p[32]) | pack(p[64], p[96]) << 16;
			b[j] = B[(i * 4 + j) * 32 + threadIdx.x];
		}
		mma(d[0], a, b);
		mma(d[1], a, b + 2);
	}
	for (int i = 0; i < 8; i++) C[i * 32 + threadIdx.x] = d[i / 4][i % 4] > 1.5f ? d[i / 4][i % 4] : 0;
}
