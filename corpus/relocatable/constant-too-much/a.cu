__constant__ int a[10000];
__global__ void ka(int *o) { o[0] = a[o[1]]; }
