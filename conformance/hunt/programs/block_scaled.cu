// 4- and 6-bit floats with a scale for each block (sm_120a and later).
typedef unsigned u32;
__global__ void cutlass_block_scaled(const u32 *A, const u32 *B, const u32 *S, float *C, int k) {
	float d[3][4] = {};
	int t = threadIdx.x;
	for (int i = 0; i < k; i++) {
		u32 a[4], b[2], x = S[i * 64 + t], y = S[i * 64 + 32 + t];
		for (int j = 0; j < 4; j++) a[j] = A[(i * 4 + j) * 32 + t];
		for (int j = 0; j < 2; j++) b[j] = B[(i * 2 + j) * 32 + t];
#define PRODUCT(kind, n, types, scale)                                                                                                                                                     \
	asm volatile("mma.sync.aligned." kind ".row.col.f32." types ".f32." scale " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0,0}, {%11}, {0,0};" : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(x), "r"(y))
		PRODUCT("m16n8k32.kind::mxf8f6f4.block_scale.scale_vec::1X", 0, "e3m2.e2m3", "ue8m0");
		PRODUCT("m16n8k64.kind::mxf4.block_scale.scale_vec::2X", 1, "e2m1.e2m1", "ue8m0");
		PRODUCT("m16n8k64.kind::mxf4nvf4.block_scale.scale_vec::4X", 2, "e2m1.e2m1", "ue4m3");
	}
	for (int i = 0; i < 12; i++) C[i * 32 + t] = d[i / 4][i % 4];
}
