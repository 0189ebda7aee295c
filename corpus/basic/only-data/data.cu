__device__ int only_data = 3;
