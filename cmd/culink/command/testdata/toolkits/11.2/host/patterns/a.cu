template <typename A, typename B> __global__ void both(A* p, B* q) { *p = *q; }
template __global__ void both<int, float>(int*, float*);
template __global__ void both<float, int>(float*, int*);
template __global__ void both<char, float>(char*, float*);
namespace {
__global__ void hidden(int* p) { *p = 3; }
__global__ void other(int* p) { *p = 4; }
}
__global__ void plain(int* p) { *p = 5; }
void* keep() { return (void*)hidden; }
