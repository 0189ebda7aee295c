__device__ int apply(int (*f)(int), int x) { return f(x) * f(x + 1); }
