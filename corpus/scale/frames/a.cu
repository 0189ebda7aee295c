__device__ int wide(int);
__global__ void k(int *o) {
	int a[300];
	for (int i = 0; i < 300; i++) a[i] = o[i];
	o[0] = wide(a[o[1]]);
}
