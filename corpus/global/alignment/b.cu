__device__ char f = 1;
__device__ float4 g = {1, 2, 3, 4};
__device__ char h;
__device__ float4 i;
__global__ void kb(int *o) { o[0] = f + g.x + h + i.y; }
