#define NAME2(a, b) a##b
#define NAME(a, b) NAME2(a, b)
__device__ int NAME(v, I);
__device__ __noinline__ int NAME(f, I)(int x) { return x * I + NAME(v, I); }
