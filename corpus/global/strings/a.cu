__device__ char *msg = (char *)"hello";
__constant__ const char *cm = "world";
__global__ void ka(int *o) { o[0] = msg[o[1]] + cm[o[2]] + "hello"[o[3]]; }
