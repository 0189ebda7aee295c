__global__ void k1(int *p) { *p = 1; }
