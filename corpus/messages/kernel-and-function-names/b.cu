namespace grid { template <class T, int N> struct Cell { T t[N]; }; }
typedef int (*Rate)(float, const grid::Cell<int, 3> *);
__global__ void name(int *p, const char *const *) { p[0]++; }
__global__ void pair(grid::Cell<double, 4>, Rate, bool) {}
namespace outer { namespace inner { __global__ void deep(unsigned long long, short &s) { s = 1; } } }
template <class T> __global__ void step(T) {}
template __global__ void step<int>(int);
