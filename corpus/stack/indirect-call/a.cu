typedef int (*fp)(int);
extern __device__ fp chosen;
__global__ void ka(int *o) { o[0] = chosen(o[1]); }
__global__ void kb(int *o, fp p) { o[0] = p(o[1]); }
