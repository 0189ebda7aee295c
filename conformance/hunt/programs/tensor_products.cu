// Products into tensor memory, of several kinds, with an end that a barrier tells
// (sm_100a, 103a, 110a).
typedef unsigned u32;
typedef unsigned long long u64;
__device__ __forceinline__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
#define PRODUCT(kind) \
	asm volatile("{.reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p;}" ::"r"(at), "l"(a), "l"(b), "r"(shape), "r"(i))
__global__ void __launch_bounds__(128) cutlass_blackwell(const uint4 *A, float *C, int k, u32 shape) {
	__shared__ __align__(1024) uint4 tile[2][1024];
	__shared__ __align__(8) u64 done;
	__shared__ u32 base;
	if (threadIdx.x < 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(shared_at(&base)));
	if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_at(&done)));
	asm volatile("tcgen05.fence::before_thread_sync;");
	__syncthreads();
	asm volatile("tcgen05.fence::after_thread_sync;");
	u32 at = base;
	for (int i = 0; i < k; i++) {
		for (int j = threadIdx.x; j < 1024; j += 128) tile[i & 1][j] = A[i * 1024 + j];
		asm volatile("fence.proxy.async.shared::cta;");
		__syncthreads();
		if (threadIdx.x == 0) {
			u64 a = (u64)(shared_at(tile[0]) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 46, b = a + 512;
			PRODUCT("f16");
			PRODUCT("tf32");
			PRODUCT("f8f6f4");
			asm volatile("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%4], [%5], 1;" ::"r"(at), "l"(a), "l"(b), "r"(shape), "r"(at + 64), "r"(at + 96));
			asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_at(&done)) : "memory");
		}
		asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again;}" ::"r"(shared_at(&done)), "r"(i & 1) : "memory");
	}
	float x[4];
	asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];" : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]) : "r"(at + (threadIdx.x / 32 << 21)));
	asm volatile("tcgen05.wait::ld.sync.aligned;");
	for (int i = 0; i < 4; i++) C[i * 128 + threadIdx.x] = x[i];
	__syncthreads();
	if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(base));
}
