// Instructions of video codecs: sums of differences, packed and permuted bytes, dot products.
typedef unsigned u32;
__global__ void motion(const u32 *a, const u32 *b, int *out, int n) {
	int best = 0x7fffffff, at = 0;
	for (int i = 0; i < n; i++) {
		u32 d = 0, x = a[i + threadIdx.x], y = b[i];
		asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(d) : "r"(x), "r"(y));
		asm("vadd2.s32.s32.s32.sat %0, %1, %2, %0;" : "+r"(d) : "r"(x), "r"(y));
		asm("vmax4.u32.u32.u32 %0, %1, %2, %0;" : "+r"(d) : "r"(x), "r"(y));
		asm("vshl.u32.u32.u32.clamp.add %0, %1.b0, %2.b1, %0;" : "+r"(d) : "r"(x), "r"(y));
		d = __vsads4(x, y) + __dp4a((int)x, (int)y, (int)d) + __byte_perm(x, y, 0x5140) + __vcmpgtu4(x, d);
		d = __viaddmax_s32(d, x, y) ^ __vimin3_s32(d, x, y) ^ __funnelshift_l(x, y, d);
		if ((int)d < best) best = d, at = i;
	}
	out[threadIdx.x] = at;
}
