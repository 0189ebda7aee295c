__device__ int done;

__global__ void publish(int *p) {
	int local = p[1];
	p[0] = local;
	__threadfence();
	done = local;
}
