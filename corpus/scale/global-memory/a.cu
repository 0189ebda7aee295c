__device__ int large[4 << 20], behind; extern __device__ int other; __global__ void k(int *o) { o[0] = large[o[1]] + behind + other; }
