// A switch in a switch, in a function: the tables of the inner ones are not in the order of the code.
__device__ __noinline__ int step(int x, int y) { return x * y; }

__device__ __noinline__ int outer(int *a, int r) {
	switch (a[0]) {
	case 0:
		switch (a[1]) {
		case 0: r += step(r, 1); break;
		case 1: r ^= step(r, 2); break;
		case 2: r -= step(r, 3); break;
		case 3: r = step(r, 4); break;
		case 4: r += 5; break;
		}
		break;
	case 1: r = step(r, 5); break;
	case 2:
		switch (a[2]) {
		case 0: r -= step(r, 6); break;
		case 1: r ^= step(r, 7); break;
		case 2: r += step(r, 8); break;
		case 3: r ^= 9; break;
		}
		break;
	case 3: r ^= step(r, 10); break;
	}
	return r;
}

__global__ void k(int *a) { *a = outer(a, a[9]); }
