extern __device__ int ends(int);
__global__ void early(int *o, int n) {
  if (threadIdx.x < n) o[threadIdx.x] = ends(n);
}
