#define NAME2(n, i) n##i
#define NAME(n, i) NAME2(n, i)
__device__ int NAME(v, I)[I];
__device__ int NAME(f, I)(int i) { return NAME(v, I)[i % I] + i; }
