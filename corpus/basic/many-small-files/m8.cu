__global__ void k8(int *o, char x) { o[8] = x; }
