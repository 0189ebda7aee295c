// Most bytes of table are small: the number n is there in half as many places as n-1.
struct Table {
    unsigned char bytes[32768];
    constexpr Table() : bytes() {
        unsigned random = 1;
        for (unsigned char &b : bytes) {
            random = random * 1664525 + 1013904223;
            unsigned n = 0;
            while (n < 31 && !(random >> (31 - n) & 1))
                n++;
            b = n;
        }
    }
};
__device__ Table table = Table();
extern "C" __global__ void k(int *p) { p[threadIdx.x] = table.bytes[threadIdx.x]; }
