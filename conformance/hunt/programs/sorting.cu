// A radix sort of a block and a scan by look-back: much control flow, few special units.
__device__ unsigned volatile_load(const unsigned *p) { return *(const volatile unsigned *)p; }
template <int BITS> __global__ void radix_sort(unsigned *keys, int rounds) {
	__shared__ unsigned exchange[256], counts[1 << BITS];
	unsigned key = keys[blockIdx.x * 256 + threadIdx.x];
	for (int r = 0; r < rounds; r += BITS) {
		if (threadIdx.x < 1 << BITS) counts[threadIdx.x] = 0;
		__syncthreads();
		unsigned digit = key >> r & ((1 << BITS) - 1), peers = ~0u;
		for (int b = 0; b < BITS; b++) {
			unsigned vote = __ballot_sync(~0u, digit >> b & 1);
			peers &= digit >> b & 1 ? vote : ~vote;
		}
		unsigned rank = __popc(peers & ((1u << (threadIdx.x & 31)) - 1));
		if (rank == 0) rank = atomicAdd(&counts[digit], __popc(peers));
		__syncthreads();
		exchange[(counts[digit] + rank) & 255] = key;
		__syncthreads();
		key = exchange[threadIdx.x];
	}
	keys[blockIdx.x * 256 + threadIdx.x] = key;
}
template __global__ void radix_sort<4>(unsigned *, int);
template __global__ void radix_sort<6>(unsigned *, int);
__global__ void look_back(unsigned *state, const unsigned *in, unsigned *out) {
	unsigned sum = in[blockIdx.x * 32 + threadIdx.x];
	for (int d = 1; d < 32; d *= 2) {
		unsigned up = __shfl_up_sync(~0u, sum, d);
		if (threadIdx.x >= d) sum += up;
	}
	unsigned before = 0;
	for (int b = blockIdx.x - 1; b >= 0; b--) {
		unsigned s;
		while (!((s = volatile_load(&state[b])) >> 30))
			;
		before += s & 0x3fffffff;
		if (s >> 31) break;
	}
	if (threadIdx.x == 31) {
		__threadfence();
		state[blockIdx.x] = (before + sum) | 1u << 31;
	}
	out[blockIdx.x * 32 + threadIdx.x] = before + sum;
}
