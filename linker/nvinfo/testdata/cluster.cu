// Clusters, mbarriers.
__global__ void __cluster_dims__(2, 1, 1) fixed(int *p) { *p = 1; asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"); }
__global__ void __launch_bounds__(128, 1, 4) ranked(int *p) { *p = 2; }
__global__ void barrier(int *p) {
  __shared__ unsigned long long b;
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(&b));
  asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(a));
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(a));
  *p = 3;
}
