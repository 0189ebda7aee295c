__global__ void k3(int *o, int x) { o[3] = x; }
