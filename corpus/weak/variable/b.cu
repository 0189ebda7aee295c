inline __device__ int iv = 5;
template <class T> __device__ T tv;
__global__ void kb(int *o) { o[0] = iv + tv<int> + tv<double>; }
