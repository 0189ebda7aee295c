__shared__ int s0[3];
__shared__ char s1[5];
__shared__ double s2[2];
__shared__ short s3[7];
__shared__ float4 s4[1];
__shared__ int s5[9];
__shared__ char s6[1];
__shared__ double s7[4];
__shared__ short s8[2];
__shared__ int s9[1];
__device__ __noinline__ int f0(int i) { s0[i] = i; return s1[i] + s5[i + 1]; }
__device__ __noinline__ int f1(int i) { s1[i] = i; return s4[i].x + s6[i + 1]; }
__device__ __noinline__ int f2(int i) { s2[i] = i; return s7[i] + s7[i + 1]; }
__device__ __noinline__ int f3(int i) { s3[i] = i; return s0[i] + s8[i + 1]; }
__device__ __noinline__ int f5(int i) { s5[i] = i; return s6[i] + s0[i + 1]; }
__device__ __noinline__ int f6(int i) { s6[i] = i; return s9[i] + s1[i + 1]; }
__device__ __noinline__ int f7(int i) { s7[i] = i; return s2[i] + s2[i + 1]; }
__device__ __noinline__ int f8(int i) { s8[i] = i; return s5[i] + s3[i + 1]; }
__global__ void k0(int *o) { __shared__ int own[2]; own[o[0]] = o[1]; __syncthreads(); o[2] = f0(o[0]) + own[o[3]]; }
__global__ void k1(int *o) { __shared__ char own[3]; own[o[0]] = o[1]; __syncthreads(); o[2] = f0(o[0]) + f1(o[1]) + own[o[3]]; }
__global__ void k2(int *o) { __shared__ double own[4]; own[o[0]] = o[1]; __syncthreads(); o[2] = f2(o[2]) + f3(o[3]) + own[o[3]]; }
__global__ void k3(int *o) { __shared__ short own[5]; own[o[0]] = o[1]; __syncthreads(); o[2] = f5(o[5]) + f6(o[6]) + f7(o[7]) + own[o[3]]; }
__global__ void k4(int *o) { __shared__ int own[6]; own[o[0]] = o[1]; __syncthreads(); o[2] = f8(o[8]) + own[o[3]]; }
__global__ void k5(int *o) { __shared__ char own[7]; own[o[0]] = o[1]; __syncthreads(); o[2] = f1(o[1]) + f8(o[8]) + f2(o[2]) + own[o[3]]; }
