package main

import "strings"

// A scenario is a way to build a program. It has a separate folder with the common sources.
type scenario struct {
	name    string
	sources map[string]string // sources that are added to the common ones or replace them
	// commands has a command on each line, without quoting. $nvcc is nvcc of the copied toolkit, and $lib is the option -L
	// for its libraries. $two and $mercury are options for targets.
	commands string
	holds    map[string]string // for each of these files, a text that it must contain after the commands
}

// Marks before a command, for its exit status.
const (
	mustFail = "!" // the build is right if the command fails
	mayFail  = "-" // any exit status is accepted, because the machine may have no GPU
)

const (
	twoTargets     = "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90"
	mercuryTargets = "-gencode arch=compute_100,code=sm_100 -gencode arch=compute_120,code=sm_120"
)

var commonSources = map[string]string{
	"a.cu": `#include <cstdio>
extern __device__ int total;
extern __device__ int step(int);
extern __constant__ int table[4];
__global__ void run(int *p) { p[threadIdx.x] = step(p[threadIdx.x]) + total + table[threadIdx.x & 3]; }
int main() {
  int *p = nullptr;
  run<<<1, 32>>>(p);
  printf("%d\n", (int)cudaGetLastError());
}
`,
	"b.cu": `__device__ int total = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int step(int x) {
  __shared__ int s[8];
  s[x & 7] = x;
  __syncthreads();
  return s[(x + 1) & 7] + twice(x);
}
__global__ void unused(float *p) { *p *= 2; }
`,
}

// launchesChild is the source of a kernel that launches another one.
const launchesChild = `__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
`

// inlineConstant is the source of a kernel with a constant that is in every file. NAME stands for the kernel.
const inlineConstant = `inline __constant__ int table[4] = {1, 2, 3, 4};
__global__ void NAME(int *p) { *p = table[*p & 3]; }
void launch_NAME(int *p) { NAME<<<1, 1>>>(p); }
`

var scenarios = []scenario{
	{name: "executable", commands: `
		$nvcc -rdc=true -arch=sm_90 a.cu b.cu -o app $lib
		- ./app`},
	{name: "objects", commands: `
		$nvcc -arch=sm_80 -dc a.cu b.cu
		$nvcc -arch=sm_80 a.o b.o -o app $lib`},
	{name: "dlink", commands: `
		$nvcc -arch=sm_90 -dc a.cu b.cu
		$nvcc -arch=sm_90 -dlink a.o b.o -o d.o
		g++ a.o b.o d.o -o app $lib -lcudart_static -lrt -lpthread -ldl`},
	{name: "dlink_cubin", commands: `
		$nvcc -arch=sm_90 -dc a.cu b.cu
		$nvcc -arch=sm_90 -dlink -cubin a.o b.o -o d.cubin`},
	{name: "dlink_fatbin", commands: `
		$nvcc $two -dc a.cu b.cu
		$nvcc $two -dlink -fatbin a.o b.o -o d.fatbin`},
	{name: "shared", commands: `$nvcc -rdc=true -arch=sm_90 -Xcompiler -fPIC -shared a.cu b.cu -o libapp.so $lib`},
	{name: "debug", commands: `$nvcc -rdc=true -arch=sm_90 -G a.cu b.cu -o app $lib`},
	{name: "lineinfo", commands: `$nvcc -rdc=true -arch=sm_90 -lineinfo a.cu b.cu -o app $lib`},
	{name: "several_archs", commands: `$nvcc -rdc=true $two -gencode arch=compute_90,code=compute_90 a.cu b.cu -o app $lib`},
	{name: "mercury", commands: `$nvcc -rdc=true $mercury a.cu b.cu -o app $lib`},
	{name: "mercury_debug", commands: `$nvcc -rdc=true $mercury -G a.cu b.cu -o app $lib`},
	{name: "static_library", commands: `
		$nvcc -arch=sm_90 -dc a.cu b.cu
		$nvcc -arch=sm_90 -lib b.o -o libb.a
		$nvcc -arch=sm_90 a.o -L. -lb -o app $lib`},
	{name: "static_archive", commands: `
		$nvcc -arch=sm_89 -dc a.cu b.cu
		ar rc libb.a b.o
		$nvcc -arch=sm_89 a.o libb.a -o app $lib`},
	// No function here uses shared memory: nvlink -r fixes the address of such memory, and the next link does not allocate
	// it (E-345).
	{name: "relocatable", sources: map[string]string{"b.cu": `__device__ int total = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int step(int x) { return x + twice(x ^ 1); }
`}, commands: `
		$nvcc -arch=sm_90 -dc a.cu b.cu
		nvlink -arch=sm_90 -r a.o b.o -o r.cubin
		nvlink -arch=sm_90 r.cubin -o e.cubin`},
	{name: "registers", commands: `$nvcc -rdc=true -arch=sm_90 -maxrregcount=32 -Xnvlink -v a.cu b.cu -o app $lib`},
	{name: "dynamic_parallelism", sources: map[string]string{"c.cu": launchesChild + "int main() { parent<<<1, 1>>>(nullptr); }\n"},
		commands: `$nvcc -rdc=true -arch=sm_90 c.cu -o app $lib -lcudadevrt`},
	{name: "undefined", commands: `! $nvcc -rdc=true -arch=sm_90 a.cu -o app $lib`},
	{name: "duplicate", commands: `
		$nvcc -arch=sm_90 -dc a.cu b.cu
		cp b.o c.o
		! $nvcc -arch=sm_90 a.o b.o c.o -o app $lib`},
	{name: "host_linker_script", commands: `$nvcc -hls=gen-lcs -o host.ld`, holds: map[string]string{"host.ld": ""}},
	// nvlink merges the constants of both files into one.
	{name: "inline_constants", sources: map[string]string{
		"first.cu":  strings.ReplaceAll(inlineConstant, "NAME", "first"),
		"second.cu": strings.ReplaceAll(inlineConstant, "NAME", "second"),
	}, commands: `
		$nvcc $two $mercury -dc first.cu second.cu
		$nvcc $two $mercury -dlink first.o second.o -o d.o`},
	// The second device link omits the code that the first one has linked.
	{name: "incremental", sources: map[string]string{
		"i.cu": "__device__ int lone; __global__ void alone(int *p) { *p = lone; } void launch(int *p) { alone<<<1, 1>>>(p); }\n",
	}, commands: `
		$nvcc -arch=sm_90 -dc a.cu b.cu i.cu
		$nvcc -arch=sm_90 -dlink i.o -o di.o
		$nvcc -arch=sm_90 -dlink a.o b.o i.o di.o -o d.o`},

	// Link-time optimisation of a whole program, of a part of one, for several targets, with a library, and with dynamic
	// parallelism.
	{name: "lto", commands: `
		$nvcc -dlto -rdc=true -arch=sm_90 a.cu b.cu -o app $lib
		- ./app`},
	{name: "lto_fast_math", commands: `
		$nvcc -dlto -arch=sm_80 -use_fast_math -lineinfo -maxrregcount=32 -dc a.cu b.cu
		$nvcc -dlto -arch=sm_80 a.o b.o -o app $lib`},
	{name: "lto_partial", commands: `
		$nvcc -arch=lto_90 -dc a.cu
		$nvcc -arch=sm_90 -dc b.cu
		$nvcc -dlto -arch=sm_90 a.o b.o -o app $lib`},
	// One object has intermediate code for each of two targets.
	{name: "lto_archs", commands: `
		$nvcc -gencode arch=compute_80,code=lto_80 -gencode arch=compute_90,code=lto_90 -dc a.cu b.cu
		$nvcc -dlto -arch=sm_80 -dlink a.o b.o -o dsm_80.o
		$nvcc -dlto -arch=sm_90 -dlink a.o b.o -o dsm_90.o`},
	// The intermediate code of one target can be used for all later targets.
	{name: "lto_jit_archs", commands: `
		$nvcc -arch=lto_75 -dc a.cu b.cu
		$nvcc -dlto -arch=sm_80 -dlink a.o b.o -o dsm_80.o
		$nvcc -dlto -arch=sm_90a -dlink a.o b.o -o dsm_90a.o
		$nvcc -dlto -arch=sm_100 -dlink a.o b.o -o dsm_100.o
		$nvcc -dlto -arch=sm_121 -dlink a.o b.o -o dsm_121.o`},
	{name: "lto_library", commands: `
		$nvcc -dlto -arch=sm_90 -dc a.cu b.cu
		$nvcc -arch=sm_90 -lib b.o -o libb.a
		$nvcc -dlto -arch=sm_90 a.o -L. -lb -o app $lib`},
	{name: "lto_dynamic_parallelism", sources: map[string]string{
		"c.cu": launchesChild + "int main() { parent<<<1, 1>>>(nullptr); child<<<1, 1>>>(nullptr); }\n",
	}, commands: `$nvcc -dlto -rdc=true -arch=sm_90 c.cu -o app $lib -lcudadevrt`},
	{name: "lto_undefined", commands: `! $nvcc -dlto -rdc=true -arch=sm_90 a.cu -o app $lib`},

	{name: "cmake_separable", sources: map[string]string{"CMakeLists.txt": `cmake_minimum_required(VERSION 3.25)
project(dropin LANGUAGES CXX CUDA)
add_library(device STATIC b.cu)
set_target_properties(device PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_executable(app a.cu)
set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(app PRIVATE device)
add_library(plugin SHARED a.cu)
set_target_properties(plugin PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
target_link_libraries(plugin PRIVATE device)
`}, commands: `
		cmake -G Ninja -B build -DCMAKE_CUDA_COMPILER=$nvcc -DCMAKE_CUDA_ARCHITECTURES=80;90
		cmake --build build`},
	{name: "cmake_lto", sources: map[string]string{"CMakeLists.txt": `cmake_minimum_required(VERSION 3.25)
project(dropin LANGUAGES CXX CUDA)
add_library(device STATIC b.cu)
add_executable(app a.cu)
target_link_libraries(app PRIVATE device)
set_target_properties(device app PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION ON)
`}, commands: `
		cmake -G Ninja -B build -DCMAKE_CUDA_COMPILER=$nvcc -DCMAKE_CUDA_ARCHITECTURES=80;90
		cmake --build build -v`, holds: map[string]string{"build/build.ninja": "dlto"}},
}
