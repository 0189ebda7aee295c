extern __shared__ int dynamic[];
__global__ void only(int *o) { o[1] = dynamic[o[2]]; }
__global__ void both(int *o) {
  __shared__ int s[40];
  s[o[0]] = 1;
  __syncthreads();
  o[1] = dynamic[o[2]] + s[o[1]];
}
