__global__ void p(int* p) { *p = 2; }
