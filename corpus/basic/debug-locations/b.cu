__device__ int counter;
__device__ int twice(int v) { int w = v + v; if (w > 7) { int u = w / 2; counter += u; } return w; }
