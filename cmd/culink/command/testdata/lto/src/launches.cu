extern __device__ int nowhere(int);
__global__ void launched(int *p) { __shared__ int s[16]; s[threadIdx.x & 15] = nowhere(p[0]); __syncthreads(); p[1] = s[p[2] & 15]; }
__global__ void idle(int *p) { __shared__ int s[32]; s[threadIdx.x & 31] = p[0]; __syncthreads(); p[1] = s[p[2] & 31]; }
__global__ void bare(int *p) { p[0] = 4; }
