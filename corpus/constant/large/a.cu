__constant__ char a[65000];
__global__ void ka(int *o) { o[0] = a[o[1]]; }
