// Warps of one block with different work: one copies, the others calculate, and they hand
// registers over (sm_90a and later variants).
typedef unsigned u32;
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void wait(u32 barrier, u32 phase) {
	asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again;}" ::"r"(barrier), "r"(phase) : "memory");
}
__global__ void __launch_bounds__(384, 1) cutlass_pipeline(const char *in, float *out, int n) {
	__shared__ __align__(128) float stage[4][1024];
	__shared__ __align__(8) unsigned long long full[4], empty[4];
	if (threadIdx.x == 0)
		for (int i = 0; i < 4; i++) {
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_at(&full[i])));
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 256;" ::"r"(shared_at(&empty[i])));
		}
	__syncthreads();
	if (threadIdx.x >= 256) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x == 256)
			for (int i = 0; i < n; i++) {
				if (i >= 4) wait(shared_at(&empty[i & 3]), (i >> 2) - 1 & 1);
				asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(shared_at(&full[i & 3])));
				asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(shared_at(stage[i & 3])), "l"(in + i * 4096), "r"(shared_at(&full[i & 3])) : "memory");
			}
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		float sum = 0;
		for (int i = 0; i < n; i++) {
			wait(shared_at(&full[i & 3]), i >> 2 & 1);
			for (int j = threadIdx.x; j < 1024; j += 256) sum += __expf(stage[i & 3][j]);
			asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(&empty[i & 3])) : "memory");
		}
		out[threadIdx.x] = sum;
	}
}
