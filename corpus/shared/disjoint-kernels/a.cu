__shared__ int i4;
__shared__ short s2;
__shared__ double d8;
__shared__ char c1[3];
__shared__ int j4[7];
extern __shared__ int dyn[];
__device__ __noinline__ int f1(int i) { return i4 + s2 + d8; }
__device__ __noinline__ int f2(int i) { j4[i] = 3; return c1[i] + j4[i + 1]; }
__global__ void k1(int *o) { __shared__ int l[3]; l[o[0]] = 1; __syncthreads(); o[0] = l[1] + f1(3); }
__global__ void k2(int *o) { __shared__ __align__(32) int z[4]; z[o[1]] = o[2]; __syncthreads(); o[0] = f2(o[1]) + z[o[3]]; }
__global__ void k3(int *o) { o[0] = f2(o[1]) + dyn[o[2]]; }
__global__ void k4(int *o) { __shared__ char q[3]; q[o[1]] = 4; __syncthreads(); o[0] = f1(o[1]) + dyn[o[2]] + q[o[3]]; }
