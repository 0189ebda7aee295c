__constant__ char a = 1;
__constant__ short b[5];
__global__ void ka(int *o) { o[0] = a + b[o[1]]; }
