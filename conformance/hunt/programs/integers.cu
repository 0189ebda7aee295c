// 8-bit, 4-bit and single-bit integers on tensor cores.
typedef unsigned u32;
#define FRAGMENTS int (&d)[4], const u32 *a, const u32 *b
#define OPERANDS : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define REGISTERS " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
struct s8 { static __device__ void mma(FRAGMENTS) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" REGISTERS OPERANDS); } };
struct u8 { static __device__ void mma(FRAGMENTS) { asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32" REGISTERS OPERANDS); } };
struct s4 { static __device__ void mma(FRAGMENTS) { asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32" REGISTERS OPERANDS); } };
struct b1 { static __device__ void mma(FRAGMENTS) { asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc" REGISTERS OPERANDS); } };
template <class T> __global__ void cutlass_integers(const u32 *A, const u32 *B, int *C, int k) {
	int d[4][4] = {};
	for (int i = 0; i < k; i++) {
		u32 a[4], b[4][2];
		for (int j = 0; j < 4; j++) a[j] = A[(i * 4 + j) * 32 + threadIdx.x];
#pragma unroll
		for (int n = 0; n < 4; n++) {
			b[n][0] = B[(i * 8 + n) * 32 + threadIdx.x];
			b[n][1] = B[(i * 8 + n + 4) * 32 + threadIdx.x];
			T::mma(d[n], a, b[n]);
		}
	}
	for (int n = 0; n < 4; n++)
		for (int i = 0; i < 4; i++) C[(n * 4 + i) * 32 + threadIdx.x] = d[n][i];
}
template __global__ void cutlass_integers<s8>(const u32 *, const u32 *, int *, int);
template __global__ void cutlass_integers<u8>(const u32 *, const u32 *, int *, int);
template __global__ void cutlass_integers<s4>(const u32 *, const u32 *, int *, int);
template __global__ void cutlass_integers<b1>(const u32 *, const u32 *, int *, int);
