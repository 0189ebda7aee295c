__device__ int done;

// A fence within a loop, so that branches go over it in both directions.
__global__ void publish(int *p, int n) {
	for (int i = 0; i < n; i++) {
		p[i] = i;
		__threadfence();
		done = i;
	}
}

__global__ void block(int *p) {
	__shared__ int s[32];
	s[threadIdx.x] = p[threadIdx.x];
	__threadfence_block();
	p[threadIdx.x] = s[31 - threadIdx.x];
	__threadfence_system();
	done = 1;
}

// A device function keeps its fences, and so does the kernel that calls it.
__device__ __noinline__ void fence(int *p) {
	*p = 1;
	__threadfence();
	done = 2;
}

__global__ void calls(int *p) {
	fence(p);
	__threadfence();
	p[1] = 2;
}
