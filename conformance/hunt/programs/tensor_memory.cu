// Tensor memory: allocation, copies, loads and stores (sm_100a, 103a, 110a).
typedef unsigned u32;
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__global__ void __launch_bounds__(128) columns(const u32 *in, u32 *out, int n) {
	__shared__ u32 base;
	if (threadIdx.x < 32) {
		asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared_at(&base)));
		asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
	}
	__syncthreads();
	u32 at = base + (threadIdx.x / 32 << 21), x[8];
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < 8; j++) x[j] = in[(i * 8 + j) * 128 + threadIdx.x];
		asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" ::"r"(at), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]));
		asm volatile("tcgen05.wait::st.sync.aligned;");
		asm volatile("tcgen05.ld.sync.aligned.16x64b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7]) : "r"(at));
		asm volatile("tcgen05.wait::ld.sync.aligned;");
		for (int j = 0; j < 8; j++) out[(i * 8 + j) * 128 + threadIdx.x] = x[j];
	}
	__syncthreads();
	if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(base));
}
