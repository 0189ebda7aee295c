__global__ void k(double *o) { o[0] = o[1] * 9.87654321098765; }
