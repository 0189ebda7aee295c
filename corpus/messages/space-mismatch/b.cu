__constant__ int v = 3;
