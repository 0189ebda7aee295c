__global__ void k10(int *o, double x) { o[10] = x; }
