__device__ __noinline__ int choose(int x, int *p) {
	switch (x) {
	case 0: return p[3] * 5;
	case 1: return p[1] + 7;
	case 2: return p[2] ^ 11;
	case 3: return p[9] / 3;
	case 4: return p[4] % 13;
	case 5: return p[5] - p[6];
	case 6: return p[7] << 3;
	case 7: return p[8] | 1;
	}
	return x;
}
