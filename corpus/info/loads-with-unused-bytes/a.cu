struct __align__(16) q { float a, b, c; };
struct __align__(8) r { float a; };
struct __align__(4) s { unsigned char a, b, c, d; };
__global__ void k1(const q *p, float *o) { q v = p[threadIdx.x]; o[threadIdx.x] = v.a + v.b + v.c; }
__global__ void k2(const r *p, float *o) { r v = p[threadIdx.x]; o[threadIdx.x] = v.a; }
__global__ void k3(const s *p, int *o) { s v = p[threadIdx.x]; o[threadIdx.x] = v.a + v.b + v.d; }
__global__ void k4(const float4 *p, float *o) { float4 v = p[threadIdx.x]; o[threadIdx.x] = v.x + v.y + v.z; }
__global__ void k5(const float4 *p, float *o) { float x = 0; for (int i = 0; i < 8; i++) { float4 v = p[i]; x += v.x + v.z; } o[0] = x; }
__global__ void k6(const volatile float4 *p, float *o) { o[0] = p->x + p->z; }
__global__ void k7(const uint2 *p, unsigned *o) { uint2 v = p[threadIdx.x]; o[threadIdx.x] = (v.x >> 8) + (v.y & 0xff00); }
__global__ void k8(const unsigned long long *p, unsigned *o) { o[threadIdx.x] = (unsigned)(p[threadIdx.x] >> 16); }
__global__ void k9(float3 *p, float *o) { __shared__ float4 t[32]; t[threadIdx.x] = make_float4(p->x, 1, 2, 3); __syncthreads(); float4 v = t[31 - threadIdx.x]; o[threadIdx.x] = v.x + v.y + v.z; }
__constant__ float4 cc[4];
__global__ void k10(float *o, int i) { float4 v = cc[i]; o[0] = v.x + v.y + v.z; }
