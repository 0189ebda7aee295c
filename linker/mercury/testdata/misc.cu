#include <stdio.h>
#include <cooperative_groups.h>
struct S{ virtual __device__ int f(int); int a; }; 
__device__ int S::f(int x){ return x*a; }
extern "C" __device__ int ext(int);
extern "C" __device__ __noinline__ int fact(int n){ return n<2?1:n*fact(n-1); }
extern "C" __device__ __noinline__ double dpow(double a,double b){ return pow(a,b); }
__constant__ int ctab[64]; __constant__ float cf[16];
extern "C" __global__ void m_printf(int*p){ printf("hi %d\n",p[0]); }
extern "C" __global__ void m_rec(int*p){ p[0]=fact(p[1]); }
extern "C" __global__ void m_virt(S*s,int*p){ p[0]=s->f(3); }
extern "C" __global__ void m_new(int**p){ p[0]=new int[5]; delete[] p[1]; }
extern "C" __global__ void m_dbl(double*p){ p[0]=p[1]*p[2]+p[3]/p[4]; p[5]=sin(p[6]); p[7]=sqrt(p[8]); }
extern "C" __global__ void m_dpow(double*p){ p[0]=dpow(p[1],p[2]); }
extern "C" __global__ void m_dadd(double*p){ p[threadIdx.x]+=p[threadIdx.x+32]; }
extern "C" __global__ void m_dcvt(float*q,double*p){ q[threadIdx.x]=(float)p[threadIdx.x]; }
extern "C" __global__ void m_dcmp(int*q,double*p){ q[threadIdx.x]=p[threadIdx.x]>p[threadIdx.x+1]; }
extern "C" __global__ void m_i64(long long*p){ p[0]=p[1]*p[2]; p[3]=p[4]/p[5]; p[7]=p[8]>>p[9]; }
extern "C" __global__ void m_assert(int*p){ if(p[0]==3) __trap(); if(p[1]==5) __brkpt(); }
extern "C" __global__ void m_sh(int*p){ extern __shared__ int d[]; __shared__ int a[100]; __shared__ float b[50]; int i=threadIdx.x; a[i]=p[i]; b[i&31]=p[i+3]; d[i]=7; __syncthreads(); p[i]=a[i^1]+b[i&15]+d[i^5]; }
extern "C" __global__ void m_const(int*p,int n){ p[0]=ctab[n]+ctab[5]; p[1]=cf[n]*cf[3]*3.14159f; }
extern "C" __global__ void m_big(float*a,float*b,int n){ float s[16]; for(int i=0;i<16;i++)s[i]=a[i*n]; for(int k=0;k<n;k++){ for(int i=0;i<16;i++) s[i]=fmaf(s[i],b[k],sinf(s[(i+1)&15])); __syncthreads(); } for(int i=0;i<16;i++)b[i]=s[i]; }
extern "C" __global__ void m_tex(cudaTextureObject_t t,float*p){ p[threadIdx.x]=tex2D<float>(t,p[0],p[1]); }
extern "C" __global__ void m_surf(cudaSurfaceObject_t t,int*p){ surf2Dwrite(p[0],t,p[1],p[2]); }
extern "C" __global__ void m_mm(float*A,float*B,float*C,int n){ __shared__ float a[16][16],b[16][16]; int x=threadIdx.x,y=threadIdx.y; float s=0; for(int k=0;k<n;k+=16){ a[y][x]=A[y*n+k+x]; b[y][x]=B[(k+y)*n+x]; __syncthreads(); for(int j=0;j<16;j++) s+=a[y][j]*b[j][x]; __syncthreads(); } C[y*n+x]=s; }
extern "C" __global__ void m_local(int*p,int n){ int a[40]; for(int i=0;i<40;i++)a[i]=p[i]; for(int i=0;i<n;i++)a[p[i]&31]+=i; p[0]=a[n&31]; }
extern "C" __global__ void m_fp(int*p, int(*f)(int)){ p[0]=f(p[1]); __threadfence(); p[2]=1;}
extern "C" __global__ void m_clock(long long*p){ long long t=clock64(); __nanosleep(100); p[0]=clock64()-t; }
extern "C" __global__ void m_atom(int*p,float*f,double*d,unsigned long long*u){ atomicAdd(p,1); atomicAdd(f,2.f); atomicAdd(d,3.); p[2]=atomicCAS(p+1,3,4); atomicMax(u,3ull); p[9]=atomicExch(p+4,5); }
extern "C" __global__ void m_half(short*p){ }
extern "C" __global__ void m_empty(){}
extern "C" __global__ void m_ext(int*p){ p[0]=ext(p[1]); }
extern "C" __device__ int ext(int x){ return x+3; }
