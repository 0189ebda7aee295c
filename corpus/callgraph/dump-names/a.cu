namespace outer { namespace inner {
struct S {
	int v;
	__device__ __noinline__ int method(int x) const { return v + x; }
	__device__ __noinline__ S &operator+=(int x) { v += x * 3; return *this; }
	static __device__ __noinline__ int fixed(unsigned char x) { return x * 5; }
};
__device__ __noinline__ int free_function(const char *s, unsigned long long n) { return s[n]; }
} }
template <class T> __device__ __noinline__ T twice(T x) { return x * 2; }
template <class T, int N> __device__ __noinline__ int fill(T (&a)[N]) { int s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; }
static __device__ __noinline__ int hidden(short x, float y, double *z) { return x + y + *z; }
__device__ __noinline__ int callback(int (*f)(int, long), int x) { return f(x, 3); }
__device__ __noinline__ int target(int x, long y) { return x + y; }
extern "C" __device__ __noinline__ int plain(int x) { return x - 1; }
__global__ void k(int *o, outer::inner::S s) {
	int a[4] = {o[0], o[1], o[2], o[3]};
	s += o[4];
	double d = o[5];
	o[0] = s.method(o[1]) + outer::inner::S::fixed(o[2]) + outer::inner::free_function((const char *)o, o[6]) + twice(o[3]) + (int)twice((float)o[4]) + fill(a) + hidden(o[5], o[6], &d) + callback(target, o[7]) + plain(o[8]);
}
