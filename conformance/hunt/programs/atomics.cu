// Atomics and reductions of many kinds, and fences of every scope.
typedef unsigned long long u64;
__device__ unsigned tickets;
__managed__ double balance;
__global__ void atomics(int *i, u64 *l, float *f, double *d, unsigned short *h) {
	int t = threadIdx.x;
	__shared__ int s[64];
	atomicAdd(&s[t & 63], i[t]);
	atomicMin(&i[0], t), atomicXor(&i[1], t), atomicInc((unsigned *)&i[2], 31), atomicMax(&l[0], (u64)t), atomicAdd(&f[0], 1.5f), atomicAdd(&d[0], 0.5), atomicAdd(&balance, d[t]);
	__threadfence();
	if (atomicAdd(&tickets, 1) == gridDim.x - 1) d[1] = balance;
	atomicCAS(h, (unsigned short)1, (unsigned short)2);
	__threadfence_block();
	i[3] = atomicExch(&s[1], 5) + atomicCAS(&l[1], 3ull, 4ull);
	__threadfence_system();
	__syncthreads();
	f[t] = s[t & 63] + __reduce_add_sync(~0u, (unsigned)t) + __shfl_xor_sync(~0u, f[t], 1) + __popc(__match_any_sync(~0u, i[t]));
}
