// Attention in one kernel: scores by tensor cores, a running softmax over them, and a second
// product from registers, while the next keys come in the background.
typedef unsigned u32;
__device__ u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void product(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ u32 pair(float x, float y) {
	u32 both;
	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
	return both;
}
__device__ __noinline__ float over(float x, bool sum) {
	for (int d = 1; d < 4; d *= 2) {
		float y = __shfl_xor_sync(~0u, x, d);
		x = sum ? x + y : fmaxf(x, y);
	}
	return x;
}
template <int Depth> __device__ void attend(const uint4 *Q, const uint4 *K, const uint4 *V, float *out, int n, float scale) {
	__shared__ __align__(128) uint4 keys[2][64 * Depth / 8], values[2][64 * Depth / 8];
	u32 q[Depth / 16][4];
	float result[Depth / 8][4] = {}, most = -1e30f, total = 0;
	int t = threadIdx.x;
	for (int i = 0; i < Depth / 16; i++) {
		uint4 x = Q[i * 32 + t];
		q[i][0] = x.x, q[i][1] = x.y, q[i][2] = x.z, q[i][3] = x.w;
	}
	auto fetch = [&](int block) {
		for (int j = t; j < 64 * Depth / 8; j += 32) {
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(&keys[block & 1][j])), "l"(K + block * 64 * Depth / 8 + j));
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(&values[block & 1][j])), "l"(V + block * 64 * Depth / 8 + j));
		}
		asm volatile("cp.async.commit_group;");
	};
	fetch(0);
	for (int block = 0; block < n; block++) {
		if (block + 1 < n) fetch(block + 1);
		asm volatile("cp.async.wait_group 1;" ::: "memory");
		__syncwarp();
		float s[8][4] = {};
		for (int j = 0; j < 8; j++)
			for (int i = 0; i < Depth / 16; i++) {
				u32 b0, b1;
				asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(at(&keys[block & 1][(j * 8 + t % 8) * Depth / 8 + i * 2 + t / 8 % 2])));
				product(s[j], q[i], b0, b1);
			}
		float top = most;
		for (auto &row : s) for (float &x : row) top = fmaxf(top, x *= scale);
		top = over(top, false);
		float shrink = exp2f(most - top), sum = 0;
		for (auto &row : s) for (float &x : row) sum += x = exp2f(x - top);
		most = top, total = total * shrink + over(sum, true);
		for (auto &row : result) for (float &x : row) x *= shrink;
		for (int j = 0; j < 4; j++) {
			u32 p[4] = {pair(s[2 * j][0], s[2 * j][1]), pair(s[2 * j][2], s[2 * j][3]), pair(s[2 * j + 1][0], s[2 * j + 1][1]), pair(s[2 * j + 1][2], s[2 * j + 1][3])};
			for (int i = 0; i < Depth / 8; i++) {
				u32 b0, b1;
				asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(at(&values[block & 1][(j * 16 + t % 16) * Depth / 8 + i])));
				product(result[i], p, b0, b1);
			}
		}
		__syncwarp();
	}
	for (int i = 0; i < Depth / 8; i++) for (int j = 0; j < 4; j++) out[(i * 4 + j) * 32 + t] = result[i][j] / total;
}
__global__ void __launch_bounds__(32) cutlass_attention(const uint4 *Q, const uint4 *K, const uint4 *V, float *out, int n, float scale) {
	attend<64>(Q, K, V, out, n, scale);
}
