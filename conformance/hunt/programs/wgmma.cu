// Products of a warp group from shared memory (sm_90a alone).
typedef unsigned u32;
typedef unsigned long long u64;
__global__ void __launch_bounds__(128) cutlass_wgmma(const uint4 *A, float *C, int k) {
	__shared__ __align__(1024) uint4 tile[2][1024];
	float d[8] = {};
	for (int i = 0; i < k; i++) {
		for (int j = threadIdx.x; j < 1024; j += 128) tile[i & 1][j] = A[i * 1024 + j];
		asm volatile("fence.proxy.async;");
		__syncthreads();
		u64 at = (u64)((u32)__cvta_generic_to_shared(tile[i & 1]) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
		asm volatile("wgmma.fence.sync.aligned;");
		asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(at), "l"(at + 64), "r"(i));
		asm volatile("wgmma.commit_group.sync.aligned;");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	}
	for (int i = 0; i < 8; i++) C[i * 128 + threadIdx.x] = d[i];
}
