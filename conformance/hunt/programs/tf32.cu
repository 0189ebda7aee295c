// tf32 on tensor cores with three stages of guarded copies, and 64-bit floats.
typedef unsigned u32;
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy(u32 to, const void *from, bool live) {
	asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global.L2::128B [%0], [%1], 16;}" ::"r"(to), "l"(from), "r"((int)live));
}
__device__ __forceinline__ u32 rounded(u32 a) {
	u32 d;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(__uint_as_float(a)));
	return d;
}
extern __shared__ __align__(128) char stages[];
__global__ void __launch_bounds__(128) cutlass_tf32(const char *A, const char *B, float *C, int k, int stride, int live) {
	char *a = stages, *b = stages + 3 * 8192;
	int t = threadIdx.x, r = 0, w = 2;
	float acc[2][4][4] = {};
	for (int s = 0; s < 2; s++) {
		for (int j = 0; j < 4; j++) {
			copy(shared_at(&a[s * 8192 + j * 2048 + t * 16]), A + j * stride + t * 16, t < live);
			copy(shared_at(&b[s * 8192 + j * 2048 + t * 16]), B + j * stride + t * 16, t < live);
		}
		asm volatile("cp.async.commit_group;");
	}
#pragma unroll 1
	for (int i = 0; i < k; i++) {
		asm volatile("cp.async.wait_group 1;");
		__syncthreads();
#pragma unroll
		for (int s = 0; s < 4; s++) {
			u32 x[2][4], y[4][2];
			for (int m = 0; m < 2; m++)
				for (int j = 0; j < 4; j++) x[m][j] = rounded(*(u32 *)&a[r * 8192 + s * 2048 + m * 1024 + j * 256 + (t & 31) * 4]);
			for (int n = 0; n < 4; n++)
				for (int j = 0; j < 2; j++) y[n][j] = rounded(*(u32 *)&b[r * 8192 + s * 2048 + n * 512 + j * 256 + (t & 31) * 4]);
			for (int m = 0; m < 2; m++)
				for (int n = 0; n < 4; n++)
					asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[m][n][0]), "+f"(acc[m][n][1]), "+f"(acc[m][n][2]), "+f"(acc[m][n][3]) : "r"(x[m][0]), "r"(x[m][1]), "r"(x[m][2]), "r"(x[m][3]), "r"(y[n][0]), "r"(y[n][1]));
		}
		for (int j = 0; j < 4; j++) copy(shared_at(&a[w * 8192 + j * 2048 + t * 16]), A + i * 8192 + j * stride + t * 16, t < live);
		asm volatile("cp.async.commit_group;");
		r = r == 2 ? 0 : r + 1;
		w = w == 2 ? 0 : w + 1;
	}
	for (int m = 0; m < 2; m++)
		for (int n = 0; n < 4; n++)
			for (int i = 0; i < 4; i++) C[((m * 4 + n) * 4 + i) * 128 + t] = acc[m][n][i];
}
__global__ void doubles(const double *A, const double *B, double *C, int k) {
	double c0 = 0, c1 = 0;
	for (int i = 0; i < k; i++)
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c0), "+d"(c1) : "d"(A[i * 32 + threadIdx.x]), "d"(B[i * 32 + threadIdx.x]));
	C[threadIdx.x] = c0 < c1 ? c0 : c1 * 0.5;
}
