__device__ __managed__ int v[3];
__constant__ char w[2];
