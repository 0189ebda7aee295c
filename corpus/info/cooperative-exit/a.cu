__global__ void k(int *o) {
	if (o[0] == 1) { o[1] = 3; return; }
	__syncthreads();
	if (o[2] == 5) asm volatile("exit;");
	o[4] = __shfl_sync(0xffffffff, o[5], 1);
}
