__constant__ float4 v = {1, 2, 3, 4};
__constant__ __align__(64) int w = 5;
__global__ void kb(int *o) { o[0] = v.x + w; }
