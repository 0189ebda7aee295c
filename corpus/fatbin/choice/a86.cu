__global__ void k86(int *o) { o[0] = 86; }
