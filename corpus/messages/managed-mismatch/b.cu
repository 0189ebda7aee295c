__managed__ int v = 3;
