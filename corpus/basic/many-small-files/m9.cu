__global__ void k9(int *o, int x) { o[9] = x; }
