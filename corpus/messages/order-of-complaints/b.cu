__constant__ int v[3] = {2};
__managed__ int w = 2;
