extern "C" __global__ void k(int *p) { *p = 1; }
extern "C" __global__ void m(int *p) { *p = 2; }
