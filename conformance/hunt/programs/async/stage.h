__device__ void fetch(float *to, const float *from, int left);
__device__ void settle();
__device__ float average(const float *ring, int at);
