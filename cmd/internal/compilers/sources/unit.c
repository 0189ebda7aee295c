/* A unit in C for GCC, which makes device code of directives of OpenACC: functions of mid.cu, and two kernels. GCC declares
   float parameters in another way than the other compilers, so none is a parameter of a function that units share. */
#pragma acc routine seq
extern int leaf_add(int a, int b);
int gcc_count = 3;
#pragma acc declare create(gcc_count)

#pragma acc routine seq
int mid_call(int which, int a, int b) {
  int local[8];
  for (int i = 0; i < 8; i++) local[i] = a + i;
  return leaf_add(local[which & 7], b) + gcc_count;
}
#pragma acc routine seq
float gcc_mix(float x, int i) { return i > 100 ? x : gcc_mix(x * i, i + 100) / x; }
#pragma acc routine seq
int mid_sum(int *p, int n) { return n ? leaf_add(mid_sum(p, n - 1), p[n]) : 0; }

void kernel1(int *p, int n) {
#pragma acc parallel loop gang vector deviceptr(p)
  for (int i = 0; i < n; i++) p[i] = mid_sum(p, i) + mid_call(i, p[i], n);
}
void kernel2(float *p, int n) {
  float sum = 0;
#pragma acc parallel loop reduction(+ : sum) deviceptr(p)
  for (int i = 0; i < n; i++) sum += gcc_mix(p[i], i);
  p[0] = sum;
}
