#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
#define K(n, s) extern "C" __global__ void n(int*p, volatile int*q){ int i=threadIdx.x; p[i]=i; s; q[i+1]=p[i^1]; }
K(f_tb, __threadfence_block())
K(f_t, __threadfence())
K(f_sys, __threadfence_system())
K(f_acta, asm volatile("fence.acq_rel.cta;":::"memory"))
K(f_agpu, asm volatile("fence.acq_rel.gpu;":::"memory"))
K(f_asys, asm volatile("fence.acq_rel.sys;":::"memory"))
K(f_aclu, asm volatile("fence.acq_rel.cluster;":::"memory"))
K(f_scta, asm volatile("fence.sc.cta;":::"memory"))
K(f_sgpu, asm volatile("fence.sc.gpu;":::"memory"))
K(f_ssys, asm volatile("fence.sc.sys;":::"memory"))
K(f_sclu, asm volatile("fence.sc.cluster;":::"memory"))
K(f_pasync, asm volatile("fence.proxy.async;":::"memory"))
K(f_pasyncg, asm volatile("fence.proxy.async.global;":::"memory"))
K(f_pasyncs, asm volatile("fence.proxy.async.shared::cta;":::"memory"))
K(f_palias, asm volatile("fence.proxy.alias;":::"memory"))
K(f_mbi, asm volatile("fence.mbarrier_init.release.cluster;":::"memory"))
K(f_two, __threadfence(); p[i+7]=q[i]; __threadfence_block(); p[i+9]=q[i+5]; __threadfence_system())
K(f_twocta, asm volatile("fence.acq_rel.cta;":::"memory"); asm volatile("fence.acq_rel.gpu;":::"memory"))
K(f_loop, for(int k=0;k<p[0];k++){ __threadfence(); q[k]=p[k+3]; if(q[k]>5) __threadfence_block(); p[k+4]++; })
K(f_pred, if(q[3]>2) __threadfence(); else __threadfence_block())
K(f_predcta, if(q[3]>2) asm volatile("fence.acq_rel.cta;":::"memory"))
extern "C" __global__ void f_sh(int*p){ __shared__ int s[64]; int i=threadIdx.x; s[i]=p[i]; __threadfence_block(); p[i]=s[i^1]; __syncthreads(); s[i]=p[i+64]; __threadfence(); p[i+64]=s[i^3]; }
extern "C" __global__ void f_atom(int*p){ cuda::atomic_ref<int,cuda::thread_scope_device> a(p[0]); a.fetch_add(1,cuda::memory_order_acq_rel); a.store(3,cuda::memory_order_release); p[1]=a.load(cuda::memory_order_acquire); int e=3; a.compare_exchange_strong(e,5,cuda::memory_order_seq_cst); p[2]=e; }
extern "C" __global__ void f_atomb(int*p){ cuda::atomic_ref<int,cuda::thread_scope_block> a(p[0]); a.fetch_add(1,cuda::memory_order_acq_rel); a.store(3,cuda::memory_order_release); p[1]=a.load(cuda::memory_order_seq_cst); }
extern "C" __global__ void f_atoms(int*p){ cuda::atomic_ref<int,cuda::thread_scope_system> a(p[0]); a.fetch_add(1,cuda::memory_order_seq_cst); a.store(3,cuda::memory_order_seq_cst); p[1]=a.load(cuda::memory_order_seq_cst); }
extern "C" __global__ void f_sw(int*p,int n){ switch(n){case 0:p[0]=p[9]*7;__threadfence();break;case 1:p[1]=sqrtf(p[2]);break;case 2:p[4]=p[5]/p[6];__threadfence();break;case 3:p[7]+=__popc(p[8]);break;case 4:p[10]=atomicAdd(p+3,4);break;case 5:p[12]=__clz(p[1]);__threadfence_block();break;case 6: p[20]=1;break; case 7: p[33]=p[1]^p[2];break;} p[n]=0;}
extern "C" __device__ __noinline__ int d_f(int*p){ p[1]=2; __threadfence(); return p[3]; }
extern "C" __global__ void f_call(int*p){ p[2]=d_f(p+4); __threadfence(); p[9]=1; }
extern "C" __global__ void f_grid(int*p){ auto g=cg::this_grid(); p[threadIdx.x]=1; g.sync(); p[threadIdx.x+3]=p[threadIdx.x^1]; g.sync(); p[0]=9; }
extern "C" __global__ void __cluster_dims__(2,1,1) f_clu(int*p){ __shared__ int s[32]; auto c=cg::this_cluster(); s[threadIdx.x]=p[threadIdx.x]; c.sync(); int*r=c.map_shared_rank(s,c.block_rank()^1); p[threadIdx.x]=r[threadIdx.x]; c.sync(); }
extern "C" __global__ void f_tile(int*p){ auto t=cg::tiled_partition<8>(cg::this_thread_block()); int v=p[threadIdx.x]; for(int i=4;i;i/=2) v+=t.shfl_down(v,i); t.sync(); __threadfence(); auto a=cg::coalesced_threads(); a.sync(); p[threadIdx.x]=v+a.size(); }
extern "C" __global__ void f_warp(int*p){ int v=p[threadIdx.x]; if(v&1){ __syncwarp(); v+=__shfl_xor_sync(__activemask(),v,1); __threadfence(); } v+=__reduce_add_sync(~0u,v); v^=__match_any_sync(~0u,v); p[threadIdx.x]=v; }
extern "C" __global__ void f_last(unsigned*c,int*p,int*o){ __shared__ bool last; int i=threadIdx.x; p[blockIdx.x*32+i]=i; __threadfence(); if(i==0) last=atomicInc(c,gridDim.x)==gridDim.x-1; __syncthreads(); if(last){int s=0; for(int k=i;k<gridDim.x*32;k+=32)s+=((volatile int*)p)[k]; o[i]=s; __threadfence_system();} }
