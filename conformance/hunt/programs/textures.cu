// Textures and surfaces by handle.
__device__ float4 sample(cudaTextureObject_t t, float x, float y) { return tex2D<float4>(t, x, y); }
__global__ void blur(cudaTextureObject_t image, cudaSurfaceObject_t result, int width) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	float4 sum = make_float4(0, 0, 0, 0);
	for (int i = -2; i <= 2; i++) {
		float4 v = sample(image, x + i + 0.5f, y + 0.5f);
		sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
	}
	if (x < width) surf2Dwrite(sum, result, x * 16, y);
}
__global__ void gradient(cudaTextureObject_t image, float *out) {
	int x = threadIdx.x, y = blockIdx.x;
	float4 g = tex2Dgather<float4>(image, x, y, 1);
	out[y * 32 + x] = g.x - g.y + tex2DLod<float>(image, x, y, 2) + tex1Dfetch<float>(image, x) + tex3D<float>(image, x, y, g.z);
}
