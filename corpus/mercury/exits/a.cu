__device__ int count;

// Conditional exits, in loops and before others.
__global__ void conditional(int *p, int n) {
	if (threadIdx.x >= n) return;
	for (int i = 0; i < n; i++) {
		if (p[i] == 7) return;
		p[i + n] = i;
		__syncthreads();
	}
	bool more = p[3] > 4, last = p[4] > 5;
	if (more) p[9] = 1;
	if (last && more) return;
	p[7] = n;
}

// A function that leaves the kernel, and has a jump table.
__device__ __noinline__ int choose(int x, int *p) {
	switch (x) {
	case 0: return p[1] * 3;
	case 1: return p[2] + 7;
	case 2: asm volatile("exit;");
	case 3: return p[7] ^ 5;
	case 4: return p[3] | 9;
	case 5: return p[8] & 77;
	case 6: return p[x];
	}
	return x;
}

__global__ void calls(int *p) {
	p[0] = choose(p[1], p);
	if (p[2]) return;
	count = choose(p[3], p + 1);
}

// A fence of the program before that of the link.
__global__ void fenced(int *p) {
	p[0] = 1;
	asm volatile("fence.acq_rel.cta;");
}
