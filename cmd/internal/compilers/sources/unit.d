// A unit in D: the functions of mid.cu but those for tables, and two kernels.
@compute(CompileFor.deviceOnly) module unit;
import ldc.dcompute;

extern (C):
int leaf_add(int a, int b);
float leaf_scale(float x, int i);
int d_twice(int a, int b) { return leaf_add(a, b) * 2; }
int mid_call(int which, int a, int b) { return which ? d_twice(a, b) : leaf_add(b, a); }
float mid_mix(float x, int i) { return i ? leaf_scale(x, i) : mid_mix(x, i + 1); }
int mid_sum(int* p, int n) { int sum; foreach (i; 0 .. n) sum = leaf_add(sum, p[i]); return sum; }
@kernel void k1_d(GlobalPointer!int p, int n) { p[0] = mid_call(n, p[0], p[2]) + d_twice(p[1], p[2]); }
@kernel void k2_d(GlobalPointer!float p, int n) { p[n] = mid_mix(p[0], n); }
