// The copy engine: tensors of one to three dimensions, barriers in shared memory, stores and
// reductions (sm_90 and later).
typedef unsigned u32;
struct __align__(64) map { unsigned long long words[16]; };
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void wait(u32 barrier, u32 phase) {
	asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again;}" ::"r"(barrier), "r"(phase) : "memory");
}
__global__ void cutlass_tiles(const __grid_constant__ map in, const __grid_constant__ map out, int n) {
	__shared__ __align__(128) float tile[2][2048];
	__shared__ __align__(8) unsigned long long full[2];
	if (threadIdx.x == 0) {
		for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_at(&full[i])));
		asm volatile("fence.mbarrier_init.release.cluster;");
		asm volatile("prefetch.tensormap [%0];" ::"l"(&in));
	}
	__syncthreads();
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0) {
			asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" ::"r"(shared_at(&full[i & 1])));
			asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_at(tile[i & 1])), "l"(&in), "r"(i * 64), "r"(blockIdx.x * 32), "r"(shared_at(&full[i & 1])) : "memory");
		}
		wait(shared_at(&full[i & 1]), i >> 1 & 1);
		for (int j = threadIdx.x; j < 2048; j += blockDim.x) tile[i & 1][j] = tile[i & 1][j] * 2 + 1;
		asm volatile("fence.proxy.async.shared::cta;");
		__syncthreads();
		if (threadIdx.x == 0) {
			asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&out), "r"(i * 64), "r"(blockIdx.x), "r"(0), "r"(shared_at(tile[i & 1])) : "memory");
			asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&out), "r"(i * 64), "r"(shared_at(tile[i & 1])) : "memory");
			asm volatile("cp.async.bulk.commit_group;");
			asm volatile("cp.async.bulk.wait_group.read 0;");
		}
		__syncthreads();
	}
}
