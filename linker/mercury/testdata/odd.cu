#include <alloca.h>
extern "C" __global__ void o_alloca(int*p,int n){ int*a=(int*)__builtin_alloca(4*n); for(int i=0;i<n;i++)a[i]=p[i]; __threadfence(); for(int i=0;i<n;i++)p[i]=a[n-1-i]; }
extern "C" __global__ void o_big(int*p,int n){ int a[5000]; for(int i=0;i<n;i++)a[p[i]]=i; __threadfence(); p[0]=a[n]; }
extern "C" __global__ void __launch_bounds__(1024) o_spill(float*p,int n){ float s[70]; 
#pragma unroll
for(int i=0;i<70;i++)s[i]=p[i*n]; for(int k=0;k<n;k++){
#pragma unroll
 for(int i=0;i<70;i++) s[i]=fmaf(s[i],p[k],s[(i+1)%70]); __threadfence(); } 
#pragma unroll
for(int i=0;i<70;i++)p[i]=s[i]; }
extern "C" __global__ void o_fp(int*p){ int x=p[0]; int*q=&x; asm volatile("" : "+l"(q)::"memory"); *q=5; __threadfence(); p[1]=*q+x; }
extern "C" __global__ void o_noret(int*p){ if(p[0]) { __threadfence(); while(true) p[1]++; } __threadfence_block(); for(;;); }
extern "C" __global__ void __cluster_dims__(4) __launch_bounds__(128,2) o_lb(int*p){ __threadfence(); p[0]=1; }
extern "C" __global__ void o_grid(const __grid_constant__ int4 v,int*p){ __threadfence(); p[0]=v.x; p[threadIdx.x]=(&v.x)[p[1]&3]; }
struct Big{int a[3000];};
extern "C" __global__ void o_bp(Big v,int*p){ __threadfence(); p[0]=v.a[p[1]]; }
