__global__ void other(int *o) { *o = 2; }
__global__ void last(int *o) { *o = o[1]; }
__global__ void later(int *o) { *o = o[2]; }
