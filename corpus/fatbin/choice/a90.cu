__global__ void k90(int *o) { o[0] = 90; }
