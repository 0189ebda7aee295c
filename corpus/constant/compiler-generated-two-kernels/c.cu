__device__ double g(double x) { return x * 5.4321098765432 + 1.0987654321098; }
__global__ void k3(double *o) { o[0] = g(o[1]) - 9.8765432109876; }
