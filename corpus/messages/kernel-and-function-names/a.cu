namespace grid { template <class T, int N> struct Cell { T t[N]; }; }
typedef int (*Rate)(float, const grid::Cell<int, 3> *);
extern __device__ void name(int *, const char *const *);
extern __device__ void pair(grid::Cell<double, 4>, Rate, bool);
namespace outer { namespace inner { extern __device__ void deep(unsigned long long, short &); } }
template <class T> __device__ void step(T);
extern template __device__ void step<int>(int);
__global__ void first(int *p, short s) {
  name(p, 0);
  pair(grid::Cell<double, 4>(), 0, true);
  outer::inner::deep(1, s);
  step<int>(3);
}
