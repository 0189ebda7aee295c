__global__ void a(int* p) { *p = 1; }
