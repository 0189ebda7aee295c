__constant__ int b[10000];
__global__ void kb(int *o) { o[0] = b[o[1]]; }
