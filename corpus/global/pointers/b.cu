__device__ int ex = 7;
__device__ short ez;
__global__ void kb(int *o) { o[0] = ex + ez; }
