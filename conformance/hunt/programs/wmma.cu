// Products through the fragments of mma.h: bf16 with a change of layout between two of them,
// tf32, integers, and doubles.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
__constant__ float factor = 0.5f;
template <class T> __device__ __noinline__ void scale(T &f, float by) {
	for (int i = 0; i < f.num_elements; i++) f.x[i] *= by;
}
__global__ void cutlass_wmma(const __nv_bfloat16 *A, const __nv_bfloat16 *B, const float *T, float *C, int k) {
	__shared__ __nv_bfloat16 between[16 * 16];
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> tb;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
	wmma::fill_fragment(c, 0.0f);
	wmma::fill_fragment(tc, 0.0f);
	for (int i = 0; i < k; i++) {
		wmma::load_matrix_sync(a, A + i * 256, 16);
		wmma::load_matrix_sync(b, B + i * 256, 16);
		wmma::mma_sync(c, a, b, c);
		wmma::load_matrix_sync(ta, T + i * 128, 8);
		wmma::load_matrix_sync(tb, T + i * 128, 16);
		for (int j = 0; j < ta.num_elements; j++) ta.x[j] = wmma::__float_to_tf32(ta.x[j]);
		wmma::mma_sync(tc, ta, tb, tc);
	}
	scale(c, factor);
	for (int j = 0; j < 8; j++) between[threadIdx.x * 8 + j] = __float2bfloat16(c.x[j] + tc.x[j]);
	__syncwarp();
	wmma::load_matrix_sync(a, between, 16);
	wmma::mma_sync(c, a, b, c);
	wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
}
__global__ void wmma_others(const signed char *A, const double *D, int *C, double *E, int k) {
	wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 32, 8, 16, int> c;
	wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
	wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
	wmma::fragment<wmma::accumulator, 8, 8, 4, double> e;
	wmma::fill_fragment(c, 0);
	wmma::fill_fragment(e, 0.0);
	for (int i = 0; i < k; i++) {
		wmma::load_matrix_sync(a, A + i * 512, 16);
		wmma::load_matrix_sync(b, A + i * 128, 16);
		wmma::mma_sync(c, a, b, c);
		wmma::load_matrix_sync(da, D + i * 32, 4);
		wmma::load_matrix_sync(db, D + i * 32, 4);
		wmma::mma_sync(e, da, db, e);
	}
	wmma::store_matrix_sync(C, c, 8, wmma::mem_row_major);
	wmma::store_matrix_sync(E, e, 8, wmma::mem_col_major);
}
