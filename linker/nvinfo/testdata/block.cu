__global__ void __block_size__((32, 1, 1), (2, 1, 1)) blocks(int *p) { *p = 1; }
