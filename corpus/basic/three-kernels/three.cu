__global__ void zz(int *o) { o[0] = 1; }
__global__ void aa(int *o, int n) { o[n] = 2; }
__global__ void mm(int *o, float q, char c) { o[c] = q; }
