__constant__ int b[130];
__global__ void kb(int *o) { o[0] = b[o[1]]; }
