__global__ void other(int *o) { o[0] = o[1]; }
