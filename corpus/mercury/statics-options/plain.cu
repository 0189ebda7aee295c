__global__ void plain(float *p) { p[0] = p[1] / p[2]; }
