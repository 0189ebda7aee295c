__global__ void choose(int *p) {
	if (p[0] > 3)
		p[1] = 2;
	else
		p[2] = p[3] * 7;
}

__global__ void fenced(int *p) {
	if (p[0] > 3)
		p[1] = 2;
	else
		p[2] = p[3] * 7;
	__threadfence();
	p[4] = 1;
}

__device__ __noinline__ int leaf(int x) { return x * 3; }

__global__ void calls(int *p) {
	if (p[0] > 3)
		p[1] = leaf(p[2]);
}

// Where a jump table leads, the code does not say.
#define JUMPS(name, fence) \
	__global__ void name(int *p) { \
		switch (p[0]) { \
		case 0: p[1] = p[2] * 3; break; \
		case 1: p[2] = p[3] + 5; fence; p[4] = 1; break; \
		case 2: p[3] = p[4] ^ 7; break; \
		case 3: p[4] = p[5] << 2; break; \
		case 4: p[5] = p[6] / 3; break; \
		case 5: p[6] = p[7] % 5; break; \
		case 6: p[7] = p[8] | 9; break; \
		} \
	}
JUMPS(jumps, )
JUMPS(fencedJumps, __threadfence())
