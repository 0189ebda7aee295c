__global__ void stream(const int4 *in, int4 *out, int n) {
	__shared__ int4 buffer[1024];
	unsigned at = __cvta_generic_to_shared(&buffer[threadIdx.x]);
	const int4 *from = in + blockIdx.x * 1024 + threadIdx.x;
	for (int i = 0; i < 4; i++)
		asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0;\n"
			"cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, p; }" ::"r"(at + 4096 * i), "l"(from + 256 * i));
	asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
	__syncthreads();
	for (int i = 0; i < 4; i++)
		out[threadIdx.x + 256 * i] = buffer[(threadIdx.x + 256 * i) ^ 1];
}
