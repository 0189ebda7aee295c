__device__ int g; __device__ __noinline__ int f(int x){return x*g+1;}
extern "C" __global__ void k(int*p){*p=f(*p);}
