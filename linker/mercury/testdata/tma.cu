#include <cuda/barrier>
#include <cuda/ptx>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
namespace cg=cooperative_groups;
using bar_t=cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void t_bar(int*p){ __shared__ bar_t b; if(threadIdx.x==0) init(&b,blockDim.x); __syncthreads(); p[threadIdx.x]=1; b.arrive_and_wait(); p[threadIdx.x+1]=2; auto t=b.arrive(); p[9]=3; b.wait(std::move(t)); }
extern "C" __global__ void t_bulk(int*p){ __shared__ alignas(128) int s[256]; __shared__ bar_t b; if(threadIdx.x==0){ init(&b,blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); } __syncthreads(); bar_t::arrival_token t; if(threadIdx.x==0){ cuda::memcpy_async(s,p,cuda::aligned_size_t<16>(1024),b); t=b.arrive(); } else t=b.arrive(); b.wait(std::move(t)); s[threadIdx.x]+=1; cuda::device::experimental::fence_proxy_async_shared_cta(); __syncthreads(); if(threadIdx.x==0){ asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"::"l"(p),"r"((unsigned)__cvta_generic_to_shared(s)):"memory"); asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group.read 0;":::"memory"); } }
extern "C" __global__ void t_cpasync(int*p){ __shared__ int s[128]; __pipeline_memcpy_async(s+4*threadIdx.x,p+4*threadIdx.x,16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); p[threadIdx.x]=s[threadIdx.x^7]; }
extern "C" __global__ void t_cgcopy(int*p){ __shared__ int s[128]; auto b=cg::this_thread_block(); cg::memcpy_async(b,s,p,512); cg::wait(b); p[threadIdx.x]=s[threadIdx.x^7]; }
extern "C" __global__ void t_mma(float*d,unsigned*a,unsigned*b){ float c0=0,c1=0,c2=0,c3=0; asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(c0),"+f"(c1),"+f"(c2),"+f"(c3):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1])); d[0]=c0;d[1]=c1;d[2]=c2;d[3]=c3; __threadfence(); d[5]=1; }
extern "C" __global__ void __cluster_dims__(2) t_dsm(int*p){ __shared__ int s[64]; auto c=cg::this_cluster(); s[threadIdx.x]=threadIdx.x; asm volatile("barrier.cluster.arrive.release;barrier.cluster.wait.acquire;":::"memory"); int*r=c.map_shared_rank(s,1); atomicAdd(r+3,1); __threadfence(); asm volatile("barrier.cluster.arrive.relaxed;barrier.cluster.wait;":::"memory"); p[threadIdx.x]=s[threadIdx.x]; }
extern "C" __global__ void t_pdl(int*p){ asm volatile("griddepcontrol.wait;":::"memory"); p[0]=1; __threadfence(); asm volatile("griddepcontrol.launch_dependents;"); }
