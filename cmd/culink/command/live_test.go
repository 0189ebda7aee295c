package command

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The sources of the links, in CUDA C++. Those of host code are in C++.
var sources = map[string]string{
	"a.cu": `extern __device__ int total;
extern __device__ int step(int);
__global__ void run(int *p) { *p = step(*p) + total; }
int main() { run<<<1, 1>>>(nullptr); }`,
	"b.cu": `__device__ int total = 7;
__device__ __noinline__ int step(int x) { __shared__ int s[4]; s[x & 3] = x; __syncthreads(); return s[(x + 1) & 3]; }
__global__ void unused(float *p) { *p *= 2; }
__global__ void shares(int *p) { __shared__ int s[4]; s[*p & 3] = 1; __syncthreads(); *p = s[p[1] & 3]; }`,
	"missing.cu":   `extern __device__ int nowhere(int); __global__ void k(int *p) { *p = nowhere(*p); }`,
	"novalue.cu":   `extern __device__ int nowhere; __global__ void k(int *p) { *p = nowhere; }`,
	"recursive.cu": `__device__ __noinline__ int f(int x) { return x ? f(x / 2 + 1) * x : 1; } __global__ void r(int *p) { *p = f(*p); }`,
	"parent.cu":    `__global__ void child(int *p) { *p = 1; } __global__ void parent(int *p) { child<<<1, 1>>>(p); }`,
	"constants.cu": `__constant__ int many[17000] = {1}; __global__ void constants(int *p) { *p = many[p[1]]; }`,
	"host.cc":      `int nothing() { return 0; }`,
}

// links are command lines in which "ARCH" and "DEVRT" are replaced. Each group names its rules.
var links = []string{
	// The outputs: OPT-052, OPT-053, OPT-054.
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin --register-link-binaries out/r.c -dot out/d.dot",
	"-arch=ARCH a.o b.o -o out/o.cubin --register-link-binaries=out/r.c",
	"-arch=ARCH libab.a b_80.o host.o -o out/o.cubin --register-link-binaries=out/r.c",
	"-arch=ARCH missing.cubin -o out/o.cubin --register-link-binaries out/r.c -dot out/d.dot",
	"-arch=ARCH a.cubin a.cubin -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH a.cubin b.cubin -o out/nodir/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin --register-link-binaries out/nodir/r.c -dot out/d.dot",
	"-arch=compute_90 a.o b.o -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH host.o -o out/o.cubin --register-link-binaries out/r.c",

	// The option -time, and host linker scripts: OPT-055, OPT-056.
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -time out/t.csv",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -time -",
	"-ghls=lcs-aug -o out/s.ld", "-ghls=lcs-aug", "-ghls=lcs-abs -o out/s.ld", "-ghls -shared -o out/s.ld", "-ghls -host-ccbin no-such-compiler -r -o out/s.ld",

	// PTX inputs, and their rows in the table of times: OPT-055, OPT-058.
	"-arch=ARCH a.ptx b.o -o out/o.cubin -time out/t.csv -maxrregcount=32",
	"-arch=ARCH a.o b_ptx.o -o out/o.cubin -time - -split-compile=2 -maxrregcount=0",
	"-arch=ARCH ./a.ptx b.o nofile -o out/o.cubin -time out/t.csv",
	"-arch=ARCH a.ptx b_ptx.o -o out/o.cubin -Xptxas -O0 -device-stack-protector=true",
	"-arch=ARCH a.ptx b.o -o out/o.cubin -dlto -nvvmpath nv -Ofc=max",
	"-arch=ARCH a.ptx b.o -o out/o.cubin -Xptxas -bogus",
	"-arch=ARCH a.cubin b.o nofile -o out/o.cubin -maxrregcount=1000", // LOAD-047
	"-arch=ARCH a.ptx nofile -o out/o.cubin -maxrregcount=1000",
	"-arch=ARCH a.cubin b.cubin b_80.o -o out/o.cubin -maxrregcount=1000",
	"-arch=ARCH a.cubin b.o nofile -o out/o.cubin -cuda-api-version=13.00", // LOAD-967
	"-arch=ARCH a.ptx b_ptx.o -o out/o.cubin -cuda-api-version=13.0",
	"-arch=ARCH a.ptx -o out/o.cubin -cuda-api-version=13.1",
	"-arch=ARCH constants.ptx -o out/o.cubin",    // LOAD-048
	"-arch=ARCH a.ptx b_ptx.o -o out/o.cubin -g", // and its tool note: LOAD-019
	"-arch=ARCH a.ptx b_ptx.o -o out/o.cubin -g -suppress-debug-info -maxrregcount=-1",
	"-arch=ARCH a.ptx b_ptx.o -o out/o.cubin -maxrregcount=300 -report-arch",

	// The choice of kernels: REACH-010, EMIT-030, EMIT-031, EMIT-032.
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -kernels-used run",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -kernels-used shares,x",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -kernels-used x",
	"-arch=ARCH a.o b.o -o out/o.cubin -variables-used total",
	"-arch=ARCH a.o b.o -o out/o.cubin -kernels-used run -use-host-info",
	"-arch=ARCH a.o b.o -o out/o.cubin -ignore-host-info",
	"-arch=ARCH a.o b.o -o out/o.cubin -use-host-info -v",
	"-arch=ARCH a.o b.o -o out/o.cubin --preserve-relocs -v",
	"-arch=ARCH a.o b.o -o out/o.cubin -g -suppress-debug-info",
	"-arch=ARCH b.o a.o -o out/o.cubin -g",
	"-arch=ARCH a.o b.o host.o -o out/o.cubin",
	"-arch=ARCH a.o b.cubin -o out/o.cubin",

	// The order in which inputs are searched, and -Werror: LOAD-040, LOAD-041.
	"-arch=ARCH b_80.o nofile -L. -ltext -o out/o.cubin",
	"-arch=ARCH b_80.o -L. -ltext -o out/o.cubin -Werror",
	"-arch=ARCH missing.cubin -L. -ltext -o out/o.cubin -Werror",
	"-arch=ARCH b_80.o a.o missing.cubin -o out/o.cubin -Werror",
	"-arch=ARCH b_80.o -o out/o.cubin -Werror -disable-infos",
	"-arch=ARCH recursive.cubin missing.cubin -o out/o.cubin -Werror",
	"-arch=ARCH recursive.cubin -o out/o.cubin -disable-infos -Werror",
	"-arch=sm_90 a.o b.o -o out/o.cubin -preserve-relocs -Werror",

	// -lto without code for it: LOAD-042.
	"-arch=ARCH a.o b.cubin -o out/o.cubin -lto -nvvmpath nv",
	"-arch=ARCH a.o b.cubin nofile -o out/o.cubin -dlto -nvvmpath nv",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -dlto -nvvmpath nv -Werror",
	"-arch=ARCH host.o -o out/o.cubin -dlto -nvvmpath nv -Werror",

	// libcudadevrt: LOAD-043.
	"-arch=ARCH a.o b.o -LDEVRT -lcudadevrt -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH a.o b.o -LDEVRT -lcudadevrt -o out/o.cubin --register-link-binaries out/r.c -keep-system-libraries",
	"-arch=ARCH missing.cubin -LDEVRT -lcudadevrt -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH novalue.cubin -LDEVRT -lcudadevrt -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH DEVRT/libcudadevrt.a parent.cubin -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH parent.cubin DEVRT/libcudadevrt.a -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH DEVRT/libcudadevrt.a a.o b.o -keep-system-libraries -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH a.o DEVRT/libcudadevrt.a b.o -keep-system-libraries -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH DEVRT/libcudadevrt.a a.o DEVRT/libcudadevrt.a b.o -keep-system-libraries -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH host.o b_80.o DEVRT/libcudadevrt.a a.o b.o -keep-system-libraries -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH host.o DEVRT/libcudadevrt.a a.o b.o -keep-system-libraries -o out/o.cubin --register-link-binaries out/r.c",
	"-arch=ARCH -r DEVRT/libcudadevrt.a a.o b.o -keep-system-libraries -o out/o.cubin",
	"-arch=ARCH -r novalue.cubin -LDEVRT -lcudadevrt -o out/o.cubin --register-link-binaries out/r.c",

	// Shared memory: LAYOUT-050, LAYOUT-051.
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -disable-smem-reservation=true",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -reserve-null-pointer",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -reserve-null-pointer -disable-smem-reservation=true -g",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -dont-reserve-null-pointer -reserve-null-pointer",

	// Command lines of other build tools: Julia, CMake with clang, and clang.
	"--arch ARCH --library-path DEVRT --library cudadevrt --output-file out/o.cubin a.o b.o",
	"-arch=ARCH --register-link-binaries=out/R.h -o=out/o.cubin a.o libab.a host.o",
	"-o out/o.cubin -arch ARCH --arch ARCH -v -L . a.cubin b.cubin",

	// A virtual target: LOAD-003.
	"-arch=compute_90 a.cubin -o out/o.cubin -v -dot=out/d --register-link-binaries=out/r.c",
	"-arch=compute_90 host.o -dot=out/d -dump-callgraph",
	"-arch=compute_90 a.cubin DEVRT/libcudadevrt.a -o out/o.cubin --register-link-binaries=out/r.c",

	// Names of the tool and of the output: OPT-027, OPT-051.
	"-arch=ARCH missing.cubin -o out/o.cubin -report-arch -tool-name some.tool",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -tool-name some.tool -v -report-arch",
	"-arch=ARCH missing.cubin -o out/o.cubin -tool-name some/other.dir/tool.name.x",
	"-arch=ARCH missing.cubin -o out/o.cubin -tool-name .x",
	"-arch=ARCH missing.cubin -o out/o.cubin -tool-name x/",
	"-arch=ARCH missing.cubin -o out/o.cubin -tool-name=",
	"-arch=ARCH a.cubin b.cubin -o out/o.cubin -tool-name= -v",
}

// recipes has the commands that make the inputs of the links.
var recipes = []recipe{
	{"b_80.o", "nvcc -gencode arch=compute_75,code=sm_75 -dc b.cu -o NAME"},
	{"b_ptx.o", "nvcc -gencode arch=compute_75,code=compute_75 -dc b.cu -o NAME"},
	{"host.o", "g++ -c host.cc -o NAME"},
	{"libab.a", "ar rc NAME a.o host.o b.o"},
	{"libtext.a", "ar rc NAME a.cu"},
	{".o", "nvcc -arch=ARCH -dc STEM.cu -o NAME"},
	{".cubin", "nvcc -arch=ARCH -rdc=true -cubin STEM.cu -o NAME"},
	{".ptx", "nvcc -arch=ARCH -rdc=true -ptx STEM.cu -o NAME"},
}

// nvlink and culink have the same stdout, stderr, exit status and output files on the same inputs.
func TestLinksLive(t *testing.T) {
	oracle, culink := liveTools(t)
	for _, target := range []string{"sm_80", "sm_90"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			w := openWorkshop(t, oracle, culink, sources, recipes, "ARCH", target)
			for _, line := range links {
				w.compare(line)
			}
		})
	}
}

// culink reports a failing write as an error. nvlink prints nothing (OPT-057).
func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	var stdout, stderr bytes.Buffer
	exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", filepath.Join(optionData, "k1.cubin"), "-o", "/dev/full"}, &stdout, &stderr)
	if exit != 1 || stderr.String() != "nvlink fatal   : Could not write file '/dev/full'\n" {
		t.Errorf("exit status %d, stderr %q", exit, stderr.String())
	}
}
