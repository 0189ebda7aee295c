// Half and bfloat16 on tensor cores: two stages of copies in the background, ldmatrix, mma. The
// compiler schedules kernels with "cutlass" in their names by hints of its own.
typedef unsigned u32;
__device__ __forceinline__ u32 smem(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy(u32 to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)); }
__device__ __forceinline__ void load4(u32 (&r)[4], u32 at) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at)); }
__device__ __forceinline__ void load2t(u32 (&r)[2], u32 at) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at)); }
template <bool BF16> __device__ __forceinline__ void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
	if (BF16)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	else
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <bool BF16, int M, int N> __device__ void product(const char *A, const char *B, float *C, int k) {
	__shared__ __align__(128) char a[2][4096], b[2][4096];
	int t = threadIdx.x;
	float acc[M][N][4] = {};
	copy(smem(&a[0][t * 16]), A + t * 16);
	copy(smem(&b[0][t * 16]), B + t * 16);
	asm volatile("cp.async.commit_group;");
	for (int i = 0; i < k; i++) {
		copy(smem(&a[(i + 1) & 1][t * 16]), A + (i + 1) * 4096 + t * 16);
		copy(smem(&b[(i + 1) & 1][t * 16]), B + (i + 1) * 4096 + t * 16);
		asm volatile("cp.async.commit_group;");
		asm volatile("cp.async.wait_group 1;");
		__syncthreads();
#pragma unroll
		for (int s = 0; s < 2; s++) {
			u32 x[M][4], y[N][2];
#pragma unroll
			for (int m = 0; m < M; m++) load4(x[m], smem(&a[i & 1][m * 512 + s * 32 + (t & 31) * 16]));
#pragma unroll
			for (int n = 0; n < N; n++) load2t(y[n], smem(&b[i & 1][n * 256 + s * 32 + (t & 15) * 16]));
#pragma unroll
			for (int m = 0; m < M; m++)
#pragma unroll
				for (int n = 0; n < N; n++) mma<BF16>(acc[m][n], x[m], y[n]);
		}
		__syncthreads();
	}
#pragma unroll
	for (int m = 0; m < M; m++)
#pragma unroll
		for (int n = 0; n < N; n++)
#pragma unroll
			for (int i = 0; i < 4; i++) C[((m * N + n) * 4 + i) * 256 + t] = acc[m][n][i];
}
__global__ void cutlass_half_product(const char *A, const char *B, float *C, int k) { product<false, 4, 8>(A, B, C, k); }
__global__ void bfloat_product(const char *A, const char *B, float *C, int k) { product<true, 2, 4>(A, B, C, k); }
