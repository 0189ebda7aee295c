// Blocks that share their shared memory: barriers of a cluster, addresses of other blocks,
// atomics on them, copies between them (sm_90 and later).
typedef unsigned u32;
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ u32 in_block(u32 at, u32 rank) {
	u32 r;
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank));
	return r;
}
__device__ __forceinline__ void meet() {
	asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__global__ void __cluster_dims__(4, 1, 1) histogram(const int *in, int *out, int n) {
	__shared__ int bins[256];
	__shared__ __align__(8) unsigned long long barrier;
	u32 rank;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	bins[threadIdx.x & 255] = 0;
	if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(shared_at(&barrier)));
	meet();
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(shared_at(&bins[in[i] & 255]), in[i] >> 8 & 3)) : "memory");
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(shared_at(&barrier), rank ^ 1)) : "memory");
	meet();
	int v;
	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(in_block(shared_at(&bins[threadIdx.x & 255]), rank ^ 3)));
	out[rank * 256 + threadIdx.x] = v + bins[threadIdx.x & 255];
	meet();
}
