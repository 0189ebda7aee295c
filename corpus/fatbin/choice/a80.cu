__global__ void k80(int *o) { o[0] = 80; }
