__managed__ int m = 3;
__managed__ int mu[4];
__global__ void k(int *o) { m += o[0]; mu[o[1]] = 2; }
