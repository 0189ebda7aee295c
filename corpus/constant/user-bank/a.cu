__constant__ int c1[3] = {1, 2, 3};
__constant__ double c2;
__constant__ char c3 = 4;
__global__ void ka(int *o) { o[0] = c1[o[1]] + c2 + c3; }
