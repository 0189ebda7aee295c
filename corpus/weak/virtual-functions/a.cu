struct B {
	__device__ virtual int f(int x);
	__device__ virtual int g(int x) { return x + 1; }
	int z;
};
struct D : B {
	__device__ int f(int x) override;
};
__device__ int B::f(int x) { return x * 3 + z; }
__device__ int D::f(int x) { return x * 5 - z; }
__global__ void ka(int *o) {
	D d;
	B b;
	B *p = o[0] ? &d : &b;
	p->z = o[1];
	o[2] = p->f(o[3]) + p->g(o[4]);
}
