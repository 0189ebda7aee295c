extern __device__ int choose(int x, int *p);

__global__ void first(int *p) { p[0] = choose(p[1], p); }

__global__ void second(int *p) { p[1] = choose(p[0], p) + choose(p[2], p); }

// A kernel with a table of its own and a fence before it.
__global__ void third(int *p) {
	p[30] = 1;
	__threadfence();
	switch (p[0]) {
	case 0: p[1] = p[3] * 5; break;
	case 1: p[2] = p[1] + 7; break;
	case 2: p[3] = p[2] ^ 11; break;
	case 3: p[4] = p[9] / 3; break;
	case 4: p[5] = p[4] % 13; break;
	case 5: p[6] = p[5] - p[6]; break;
	case 6: p[7] = p[7] << 3; break;
	case 7: p[8] = p[8] | 1; break;
	}
}
