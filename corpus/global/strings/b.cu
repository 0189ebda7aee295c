__global__ void kb(int *o) { o[0] = "hello"[o[1]] + "again"[o[2]]; }
