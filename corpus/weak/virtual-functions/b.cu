struct B {
	__device__ virtual int f(int x);
	__device__ virtual int g(int x) { return x + 1; }
	int z;
};
struct E : B {
	__device__ int f(int x) override { return x - 2; }
};
__global__ void kb(int *o) {
	E e;
	B b;
	B *p = o[0] ? (B *)&e : &b;
	p->z = o[1];
	o[2] = p->f(o[3]) + p->g(o[4]);
}
