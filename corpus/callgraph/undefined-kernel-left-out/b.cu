__global__ void later(int *);
__global__ void last(int *);
__global__ void k1(int *p) { p[0] = 1; }
__global__ void k2(int *p) { p[0] = (int)(size_t)&later; p[1] = (int)(size_t)&last; }
