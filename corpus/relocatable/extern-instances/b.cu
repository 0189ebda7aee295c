extern __shared__ int dynamic[];
template <int N> __device__ void fill(int *o) {
  __shared__ int s[N];
  s[o[0]] = 1;
  __syncthreads();
  o[1] = dynamic[o[2]] + s[o[1]];
}
__global__ void other(int *o) { fill<40>(o); }
__global__ void last(int *o) { fill<60>(o); }
template <int N> __global__ void weak(int *o) { fill<N>(o); }
template __global__ void weak<100>(int *);
__global__ void later(int *o) { fill<80>(o); }
