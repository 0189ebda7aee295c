__global__ void __launch_bounds__(256, 3) k1(int *o, int n) { o[threadIdx.x] = n; }
__global__ void __maxnreg__(32) k2(int *o, double n) { o[threadIdx.x] = n; }
__global__ void __launch_bounds__(128) k3(int *o) { o[threadIdx.x] = 1; }
