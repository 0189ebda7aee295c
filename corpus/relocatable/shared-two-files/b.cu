__device__ int get(int i) { __shared__ short s[4]; __shared__ float4 v[2]; s[i] = i; v[i].x = i; __syncthreads(); return s[i + 1] + v[i + 1].y; }
__global__ void k3(int *o) { o[0] = get(o[1]); }
