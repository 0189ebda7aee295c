__device__ __noinline__ int ends(int x) {
  if (x == 3) asm volatile("exit;");
  return x * 2;
}
__global__ void several(int *o) {
  int i = threadIdx.x;
  if (i > o[0]) return;
  for (int k = 0; k < o[1]; k++) {
    if (o[k] == 7) return;
    o[k] = ends(o[k]);
  }
  if (o[2]) { o[3] = 1; return; }
  o[4] = 2;
}
__global__ void loop(int *o) {
  while (o[0]) {
    if (o[1] == 3) { o[2] = 5; return; }
    o[0] -= o[4];
  }
}
// Written out: the toolkit's inline functions would put the time of its header into the line table.
__global__ void surface(cudaSurfaceObject_t s, float4 v) {
  asm volatile("sust.b.2d.v4.b32.trap [%0, {%1, 2}], {%2, %3, %4, %5};"
               :: "l"(s), "r"((int)threadIdx.x * 16), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
