// Allocation by two blocks, in a function that is called.
typedef unsigned u32;
__device__ __noinline__ void allocate(u32 *base) {
	asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"((u32)__cvta_generic_to_shared(base)));
}
__global__ void __cluster_dims__(2, 1, 1) pair(u32 *out) {
	__shared__ u32 base;
	allocate(&base);
	__syncthreads();
	out[threadIdx.x] = base;
	asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 32;" ::"r"(base));
}
