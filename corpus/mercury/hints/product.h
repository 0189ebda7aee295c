typedef unsigned u32;
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <int N> __global__ void cutlass_product(const u32 *A, float *C, int k) {
	__shared__ u32 tile[2][256];
	float d[N][4] = {};
	for (int i = 0; i < k; i++) {
		tile[i & 1][threadIdx.x] = A[i * 256 + threadIdx.x];
		__threadfence();
		__syncthreads();
		for (int n = 0; n < N; n++) {
			u32 a[4], b[2];
			for (int j = 0; j < 4; j++) a[j] = tile[i & 1][threadIdx.x + j * 8 & 255];
			for (int j = 0; j < 2; j++) b[j] = tile[i & 1][threadIdx.x + j * 4 + n & 255];
			mma(d[n], a, b);
		}
	}
	for (int n = 0; n < N; n++)
		for (int i = 0; i < 4; i++) C[(n * 4 + i) * 256 + threadIdx.x] = d[n][i];
}
