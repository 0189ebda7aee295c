__global__ void f(int* p) { *p = 2; }
