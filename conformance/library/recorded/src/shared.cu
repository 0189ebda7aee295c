extern __shared__ int dynamic[];
__shared__ int fixed[64];
__global__ void ks(int *p) { fixed[*p & 63] = *p; dynamic[*p] = fixed[1]; *p = dynamic[0]; }
