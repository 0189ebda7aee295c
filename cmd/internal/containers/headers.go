package main

import (
	"os"
	"path/filepath"
)

// A headerLibrary is a library for device code that consists of headers. Its program has two sources: a kernel, and the
// functions that it calls.
type headerLibrary struct {
	name, wheel    string
	includes       []string // folders of the wheel
	targets        []string
	kernel, callee string
}

var curand = headerLibrary{
	name: "curand", wheel: "nvidia-curand==10.4.5.25", includes: []string{"nvidia/cu13/include"},
	targets: []string{"90", "100", "120"},
	kernel: `#include <curand_kernel.h>
__device__ float sample(curandStatePhilox4_32_10_t *, int);
__device__ float mrg(curandStateMRG32k3a *);
__global__ void k(float *o, curandStatePhilox4_32_10_t *s, curandStateMRG32k3a *m) {
  o[threadIdx.x] = sample(s + threadIdx.x, 3) + mrg(m);
}
`,
	callee: `#include <curand_kernel.h>
__device__ float sample(curandStatePhilox4_32_10_t *s, int n) {
  float x = 0;
  curand_init(1, threadIdx.x, 0, s);
  for (int i = 0; i < n; i++) x += curand_normal(s) + curand_poisson(s, 9.5);
  return x;
}
__device__ float mrg(curandStateMRG32k3a *m) {
  curand_init(3, 0, 0, m);
  curandStateXORWOW x;
  curand_init(5, threadIdx.x, 0, &x);
  return curand_uniform(m) + curand_log_normal(&x, 0, 1);
}
`,
}

var cufftdx = headerLibrary{
	name: "cufftdx", wheel: "nvidia-mathdx==25.6.0", includes: []string{"nvidia/mathdx/include", "nvidia/mathdx/external/cutlass/include"},
	targets: []string{"90", "100"},
	kernel: `__device__ void forward(float2 *, int);
__device__ void inverse(float2 *, int);
__global__ void k(float2 *x, int n) {
  forward(x, n);
  x[threadIdx.x].y *= 2;
  inverse(x, n);
}
`,
	callee: `#include <cufftdx.hpp>
using namespace cufftdx;
using ByThread = decltype(Size<64>() + Precision<float>() + Type<fft_type::c2c>() + Direction<fft_direction::forward>() + Thread());
using ByBlock = decltype(Size<512>() + Precision<float>() + Type<fft_type::c2c>() + Direction<fft_direction::inverse>() +
                         ElementsPerThread<8>() + Block() + SM<TARGET>());
template <class FFT, bool shares> __device__ void transform(float2 *x, int n) {
  using Value = typename FFT::value_type;
  extern __shared__ __align__(16) Value shared[];
  Value v[FFT::storage_size];
  for (int i = 0; i < FFT::storage_size; i++) v[i] = reinterpret_cast<Value *>(x)[threadIdx.x + n * i];
  if constexpr (shares) FFT().execute(v, shared); else FFT().execute(v);
  for (int i = 0; i < FFT::storage_size; i++) reinterpret_cast<Value *>(x)[threadIdx.x + n * i] = v[i];
}
__device__ void forward(float2 *x, int n) { transform<ByThread, false>(x, n); }
__device__ void inverse(float2 *x, int n) { transform<ByBlock, true>(x, n); }
`,
}

var nccl = headerLibrary{
	name: "nccl", wheel: "nvidia-nccl-cu13==2.32.3", includes: []string{"nvidia/nccl/include"},
	targets: []string{"90", "100"},
	kernel: `struct ncclDevComm;
struct ncclWindow_vidmem;
struct ncclLLA2AHandle;
__device__ float sum(ncclDevComm *, ncclWindow_vidmem *, size_t, int);
__device__ void exchange(ncclDevComm *, ncclLLA2AHandle *, float *);
__global__ void k(ncclDevComm *comm, ncclWindow_vidmem *window, ncclLLA2AHandle *handle, float *x, int n) {
  x[threadIdx.x] = sum(comm, window, 16, n);
  exchange(comm, handle, x + threadIdx.x);
}
`,
	callee: `#include <nccl_device.h>
__device__ float sum(ncclDevComm *comm, ncclWindow_t window, size_t offset, int n) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), *comm, ncclTeamTagLsa(), blockIdx.x};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acquire);
  float x = 0;
  for (int peer = 0; peer < ncclTeamLsa(*comm).nRanks; peer++)
    x += static_cast<float *>(ncclGetLsaPointer(window, offset, peer))[threadIdx.x];
  barrier.sync(ncclCoopCta(), cuda::memory_order_release);
  return x;
}
__device__ void exchange(ncclDevComm *comm, ncclLLA2AHandle *handle, float *x) {
  ncclLLA2ASession<ncclCoopCta> session{ncclCoopCta(), *comm, ncclTeamLsa(*comm), *handle, blockIdx.x, 128};
  session.bcast(threadIdx.x, *x);
  *x = session.recv<float>(threadIdx.x);
  session.endEpoch(ncclCoopCta());
}
`,
}

// linkHeaders downloads a library and links its program.
func (c *comparison) linkHeaders(l headerLibrary) error {
	folder, err := c.unpack(l.wheel, l.includes...)
	if err != nil {
		return err
	}
	return c.linkProgram(l, folder)
}

// linkProgram links the program of a library, which is in a folder.
func (c *comparison) linkProgram(l headerLibrary, folder string) error {
	stems := []string{l.name + "-kernel", l.name + "-callee"}
	if err := c.write(map[string]string{stems[0] + ".cu": l.kernel, stems[1] + ".cu": l.callee}); err != nil {
		return err
	}
	for _, sm := range l.targets {
		var inputs []string
		for _, stem := range stems {
			options := []string{"-DTARGET=" + sm + "0", "-arch=sm_" + sm, "-cubin", stem + ".cu", "-o", stem + ".cubin"}
			for _, include := range l.includes {
				options = append(options, "-I"+filepath.Join(folder, filepath.FromSlash(include)))
			}
			if err := c.compile(options...); err != nil {
				return err
			}
			inputs = append(inputs, stem+".cubin")
		}
		for _, options := range [][]string{nil, {"-r"}, {"-v"}} {
			if err := c.compare(linkers, sm, append(options, inputs...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// ncclCaller is the source of a kernel that calls functions of NCCL's library of LTO-IR.
const ncclCaller = `struct ncclWindow_vidmem;
__device__ void *ncclGetLsaPointer(ncclWindow_vidmem *, size_t, int);
__device__ void *ncclGetLocalPointer(ncclWindow_vidmem *, size_t);
__global__ void k(ncclWindow_vidmem *window, int peer) {
  *static_cast<int *>(ncclGetLocalPointer(window, 16)) = *static_cast<int *>(ncclGetLsaPointer(window, 16, peer));
}
`

// linkNCCL links programs with NCCL's headers and with its library of LTO-IR. The library calls functions of
// libcudadevrt.a. Releases before 13.4 cannot read it: their message is compared.
func (c *comparison) linkNCCL() error {
	const library = "nvidia/nccl/lib/libnccl_device.ltoir"
	folder, err := c.unpack(nccl.wheel, append([]string{library}, nccl.includes...)...)
	if err != nil {
		return err
	}
	if err := c.linkProgram(nccl, folder); err != nil {
		return err
	}
	if err := c.write(map[string]string{"caller.cu": ncclCaller}); err != nil {
		return err
	}
	if err := c.compile("-gencode", "arch=compute_90,code=lto_90", "-dc", "caller.cu", "-o", "caller.o"); err != nil {
		return err
	}
	for _, release := range linkers {
		tools, err := c.tools(release)
		if err != nil {
			return err
		}
		nvvm := filepath.Join(c.folder, "nvvm-"+release) // nvlink looks for lib64/libnvvm.so in it
		if err := os.MkdirAll(filepath.Join(nvvm, "lib64"), 0o777); err != nil {
			return err
		}
		if err := os.Symlink(filepath.Join(tools, "lib", "libnvvm.so.4"), filepath.Join(nvvm, "lib64", "libnvvm.so")); err != nil {
			return err
		}
		for _, sm := range []string{"90", "100"} {
			if err := c.compare([]string{release}, sm, "-lto", "-nvvmpath="+nvvm, "caller.o", filepath.Join(folder, filepath.FromSlash(library)),
				filepath.Join(c.oracle, "lib", "libcudadevrt.a")); err != nil {
				return err
			}
		}
	}
	return nil
}
