template <class T> __global__ void tk(T *o, int n) { o[n] = o[n + 1] * 3; }
template __global__ void tk<float>(float *, int);
template __global__ void tk<int>(int *, int);
