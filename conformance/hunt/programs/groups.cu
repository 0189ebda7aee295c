// Cooperative groups: the whole grid, tiles, coalesced threads, reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void total(const int *in, int *out, int n) {
	cg::grid_group grid = cg::this_grid();
	cg::thread_block block = cg::this_thread_block();
	auto tile = cg::tiled_partition<16>(block);
	int sum = 0;
	for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
	sum = cg::reduce(tile, sum, cg::plus<int>());
	if (tile.thread_rank() == 0) atomicAdd(out, sum);
	grid.sync();
	if (sum > 7) {
		auto active = cg::coalesced_threads();
		out[1 + active.thread_rank()] = cg::inclusive_scan(active, sum);
	}
	auto halves = cg::labeled_partition(tile, (int)threadIdx.x & 1);
	out[64 + threadIdx.x] = halves.shfl(sum, 0) + cg::reduce(halves, sum, cg::greater<int>());
}
