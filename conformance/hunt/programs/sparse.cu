// Sparse products: half of A's elements are zero, and a word says which.
typedef unsigned u32;
__global__ void cutlass_sparse(const u32 *A, const u32 *B, const u32 *E, float *C, int *D, int k) {
	float d[4] = {};
	int s[4] = {};
	int t = threadIdx.x;
	for (int i = 0; i < k; i++) {
		u32 a[4], b[4], e = E[i * 32 + t];
		for (int j = 0; j < 4; j++) a[j] = A[(i * 4 + j) * 32 + t], b[j] = B[(i * 4 + j) * 32 + t];
		asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));
		asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;" : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));
	}
	for (int i = 0; i < 4; i++) C[i * 32 + t] = d[i], D[i * 32 + t] = s[i];
}
