package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ltoSources holds the programs of the links. They have code that is inlined across files, a cycle of functions, code
// with and without host references, code that needs libcudadevrt, and code with an undefined function.
var ltoSources = map[string]string{
	"a.cu": `extern __device__ int total; extern __device__ int step(int); extern __constant__ int table[4];
__global__ void run(int *p) { p[threadIdx.x] = step(p[threadIdx.x]) + total + table[threadIdx.x & 3]; }
__global__ void quotient(float *p) { p[0] = p[1] / p[2] + sqrtf(p[3]); }`,
	"b.cu": `__device__ int total = 7; __constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ int step(int x) { __shared__ int s[8]; s[x & 7] = x; __syncthreads(); return s[(x + 1) & 7] + twice(x); }
__global__ void unused(float *p) { *p *= 2; }`,
	"q1.cu": `extern __device__ int f2(int); __device__ int g1 = 1; __device__ __noinline__ int f1(int x) { return x < 1 ? x : f2(x / 2) + g1; } __global__ void k1(int *p) { *p = f1(*p); }`,
	"q2.cu": `extern __device__ int f3(int); __device__ int g2 = 2; __device__ __noinline__ int f2(int x) { return x < 2 ? x : f3(x / 2) + g2; } __global__ void k2(int *p) { *p = f2(*p); }`,
	"q3.cu": `extern __device__ int f1(int); __device__ int g3 = 3; __device__ __noinline__ int f3(int x) { return x < 3 ? x : f1(x / 2) + g3; } __global__ void k3(int *p) { *p = f3(*p); }`,
	"ha.cu": `extern __device__ int count; extern __device__ int times(int); __device__ int seen; __device__ int unseen; __constant__ int bound[4];
__global__ void used(int *p) { p[threadIdx.x] = times(p[threadIdx.x]) + count; }
__global__ void dead(int *p) { p[0] = unseen; }
static __global__ void hiddenDead(int *p) { p[0] = 3; }
static __global__ void hidden(int *p) { p[0] = 4; }
int main() { int x = 1; used<<<1, 1>>>(0); hidden<<<1, 1>>>(0); cudaMemcpyToSymbol(seen, &x, 4); cudaMemcpyToSymbol(bound, &x, 4); }`,
	"hb.cu": `__device__ int count = 7; __device__ int lonely = 3;
__device__ int times(int x) { return x * count; }
__global__ void deadToo(float *p) { *p *= 2; }
__global__ void launched(float *p) { *p *= 4; }
void launch() { launched<<<1, 1>>>(0); }`,
	"host.cc": `int nothing() { return 0; }`,
	"print.cu": `#include <cstdio>
__global__ void print(int *p) { printf("%d\n", *p); free(malloc(*p)); }`,
	"parent.cu": `__global__ void child(int *p) { *p = 1; } __global__ void parent(int *p) { child<<<1, 1>>>(p); }`,
	"launches.cu": `__device__ int seen; __device__ int unseen; __global__ void child(int *p) { *p = 1; }
__global__ void launched(int *p) { __shared__ int s[16]; s[threadIdx.x] = p[0]; __syncthreads(); p[1] = s[p[2]] + seen; child<<<1, 1>>>(p); }
__global__ void idle(int *p) { __shared__ int s[32]; s[threadIdx.x] = p[0]; __syncthreads(); p[1] = s[p[2]] + unseen; }
__global__ void bare(int *p) { p[0] = 4; }
extern "C" __global__ void x_Z8launchedPi(int *p) { __shared__ int s[24]; s[p[1]] = 2; __syncthreads(); p[0] = s[p[2]]; }
static __global__ void hidden(int *p) { __shared__ int s[8]; s[p[1]] = 1; __syncthreads(); p[0] = s[p[2]]; }
static __global__ void hiddenIdle(int *p) { __shared__ int s[64]; s[p[1]] = 1; __syncthreads(); p[0] = s[p[2]]; }
void *idles[] = {(void *)1};
int main() { launched<<<1, 1>>>(0); hidden<<<1, 1>>>(0); }`,
	"large.cu":     `__global__ void large(int *p) { __shared__ int s[20000]; s[p[0]] = 1; __syncthreads(); *p = s[p[1]]; }`,
	"constants.cu": `__constant__ int many[17000] = {1}; __global__ void constants(int *p) { *p = many[p[1]]; }`,
	"missing.cu":   `extern __device__ int nowhere(int); extern __device__ int novalue; __global__ void missing(int *p) { *p = nowhere(*p) + novalue; }`,
	"novalue.cu":   `extern __device__ int novalue; __global__ void value(int *p) { *p = novalue; }`,
	"maybe.cu":     `extern __device__ int never(int); __device__ int dead(int x) { return never(x); } __global__ void k(int *p) { *p = 2; }`,
}

// ltoRecipes has the commands that make the inputs of these links. X.lto.o is a host object with intermediate code.
// X.sm.o is one with machine code for the target. Others are objects whose notes contain an option.
var ltoRecipes = []recipe{
	{".lto.o", "nvcc CODE -dc STEM.cu -o NAME"},
	{".sm.o", "nvcc MACHINE -dc STEM.cu -o NAME"},
	{".plain.o", "nvcc CODE -dc STEM.cu -o NAME -Xfatbin --compress-mode=none"},
	{".ptx.o", "nvcc VIRTUAL -dc STEM.cu -o NAME"},
	{".ptx", "nvcc VIRTUAL -rdc=true -ptx STEM.cu -o NAME"},
	{".cubin", "nvcc MACHINE -rdc=true -cubin STEM.cu -o NAME"},
	{".fatbin", "nvcc CODE -rdc=true -fatbin STEM.cu -o NAME"},
	{".ltoir", "nvcc CODE -rdc=true -ltoir STEM.cu -o NAME"},
	{"a_fast.o", "nvcc CODE -dc a.cu -o NAME --use_fast_math"},
	{"b_fast.o", "nvcc CODE -dc b.cu -o NAME --use_fast_math"},
	{"a_ftz.o", "nvcc CODE -dc a.cu -o NAME -ftz=true"},
	{"b_nofma.o", "nvcc CODE -dc b.cu -o NAME -fmad=false"},
	{"a_lines.o", "nvcc CODE -dc a.cu -o NAME -lineinfo"},
	{"b_16.o", "nvcc CODE -dc b.cu -o NAME -maxrregcount=16"},
	{"a_24.o", "nvcc CODE -dc a.cu -o NAME -maxrregcount=24"},
	{"a_debug.o", "nvcc -arch=lto_90 -dc a.cu -o NAME -G"},
	{"b_debug.o", "nvcc -arch=lto_90 -dc b.cu -o NAME -G"},
	{"b_old.o", "nvcc -gencode=arch=compute_75,code=sm_75 -dc b.cu -o NAME"},
	{"b_1000.o", "nvcc CODE -dc b.cu -o NAME -maxrregcount=1000"},
	{"late.ltoir", "nvcc -gencode=arch=compute_100,code=lto_100 -rdc=true -ltoir q2.cu -o NAME"},
	{"minor.ltoir", "{ head -c 7 a.ltoir ; printf '\\143' ; tail -c +9 a.ltoir ; } > NAME"},
	{"plain.fatbin", "nvcc CODE -rdc=true -fatbin b.cu -o NAME -Xfatbin --compress-mode=none"},
	{"major.fatbin", "{ head -c 140 plain.fatbin ; printf '\\002' ; tail -c +142 plain.fatbin ; } > NAME"},
	{"host.o", "g++ -c host.cc -o NAME"},
	{"libab.a", "ar rc NAME a.lto.o b.lto.o"},
	{"libb.a", "ar rc NAME b.lto.o"},
	{"libmixed.a", "ar rc NAME q1.lto.o q2.sm.o"},
	{"thin.a", "ar rcT NAME a.lto.o b.lto.o"},
	{"cut.ltoir", "head -c 900 a.ltoir > NAME"},
	{"text.ltoir", "yes not intermediate code | head -c 480 > NAME"},
	{"magic.ltoir", "{ head -c 4 a.ltoir ; head -c 3000 /dev/zero ; } > NAME"},
}

// ltoEverywhere lists links that run for every target.
var ltoEverywhere = []string{
	"a.lto.o b.lto.o RUNTIME -register",
	"a.lto.o b.sm.o -v",
	"q1.sm.o q2.lto.o q3.lto.o -register",
	"q1.lto.o q2.sm.o q3.lto.o",
	"a.lto.o b.lto.o -r",
	"ha.lto.o hb.lto.o RUNTIME",
	"ha.lto.o hb.sm.o RUNTIME -v",
	"a.ltoir b.fatbin -emit-ptx",
	"print.lto.o RUNTIME",
	"a.lto.o b.lto.o RUNTIME -g",
	"q1.lto.o q2.lto.o q3.sm.o -g",
}

// ltoRegimes, ltoOptions and ltoErrors list links for one target, grouped by their rules.
var ltoRegimes = []string{
	// Whole and partial optimisation, and the position of the program: LTO-001, LTO-002.
	"a.lto.o b.sm.o RUNTIME -register", "a.sm.o b.lto.o -dump-callgraph", "q1.lto.o q2.sm.o q3.sm.o", "q1.sm.o q2.sm.o q3.lto.o",
	"q1.lto.o q2.lto.o q3.lto.o -force-partial-lto -v", "a.lto.o b.sm.o -force-whole-lto", "a.lto.o b.lto.o -r -v -register", "a.lto.o b.lto.o -r -force-whole-lto",
	"q1.ltoir q2.sm.o q3.ltoir", "q1.ltoir q2.sm.o q3.lto.o -register", "q1.lto.o q2.sm.o q3.fatbin -register", "a.ltoir b.sm.o -v", "a.ltoir b.ltoir -r", "a.ltoir b.ltoir",
	"libab.a RUNTIME -register", "a.lto.o -L. -lb RUNTIME -register", "a.lto.o b.plain.o RUNTIME", "a.sm.o b.plain.o", "q3.lto.o libmixed.a -register", "a.sm.o b.sm.o", "thin.a RUNTIME",
	// Host references: LTO-003.
	"ha.lto.o hb.lto.o RUNTIME -emit-ptx", "ha.lto.o hb.lto.o RUNTIME -ignore-host-info", "ha.lto.o hb.lto.o RUNTIME -use-host-info", "ha.lto.o hb.lto.o host.o RUNTIME",
	"ha.lto.o hb.fatbin RUNTIME", "ha.lto.o hb.lto.o RUNTIME -kernels-used used", "ha.lto.o hb.lto.o RUNTIME -kernels-used used,launched -variables-used seen",
	"ha.lto.o hb.lto.o RUNTIME -variables-used lonely", "ha.lto.o hb.sm.o -kernels-used used", "ha.lto.o hb.lto.o RUNTIME -r",
	// libcudadevrt: LTO-004, LTO-005.
	"a.lto.o b.lto.o", "a.lto.o b.ltoir", "DEVRT/libcudadevrt.a a.lto.o b.lto.o", "a.lto.o b.lto.o DEVRT/libcudadevrt.a", "print.lto.o RUNTIME", "print.lto.o", "parent.lto.o RUNTIME -register", "parent.lto.o",
	"parent.lto.o RUNTIME -r", "maybe.lto.o RUNTIME", "maybe.lto.o", "missing.lto.o RUNTIME -register", "missing.lto.o RUNTIME -force-whole-lto", "novalue.lto.o RUNTIME",
	"a.lto.o b.lto.o RUNTIME -keep-system-libraries -register", "a.lto.o b.lto.o -keep-system-libraries -register", "libab.a -keep-system-libraries -dot out/d.dot",
	// Host references in links that libcudadevrt makes partial: LTO-009.
	"launches.lto.o RUNTIME", "RUNTIME launches.lto.o -g", "launches.lto.o hb.lto.o RUNTIME -register", "launches.lto.o RUNTIME -ignore-host-info", "launches.lto.o RUNTIME -kernels-used launched",
	"launches.lto.o hb.lto.o ha.lto.o RUNTIME -keep-system-libraries", "launches.lto.o parent.lto.o RUNTIME -v", "launches.lto.o b.ltoir RUNTIME",
}

var ltoOptions = []string{
	// The files that are written besides the output: LTO-006, LTO-007, LTO-008.
	"q1.lto.o q2.lto.o q3.lto.o RUNTIME -register -dot out/d.dot -v -dump-callgraph", "q1.lto.o q2.lto.o q3.lto.o -emit-ptx -register -dot out/d.dot",
	"a.lto.o b.lto.o RUNTIME -time out/t.csv", "a.lto.o b.sm.o -time -", "a.lto.o b.lto.o -emit-ptx -time out/t.csv", "parent.lto.o RUNTIME -time out/t.csv",
	// The compile options of objects: LTO-020.
	"a_fast.o b_fast.o RUNTIME", "a_fast.o b.lto.o RUNTIME", "a.lto.o b_nofma.o", "a_ftz.o b.ltoir RUNTIME", "a_lines.o b.lto.o RUNTIME", "a_lines.o b_16.o RUNTIME", "a_24.o b_16.o RUNTIME",
	"a_24.o b_16.o RUNTIME -maxrregcount 40", "a_24.o b_16.o -maxrregcount 0", "a_24.o b_16.o RUNTIME -maxrregcount=-1", "a_debug.o b_debug.o RUNTIME", "a_debug.o b_debug.o RUNTIME -g",
	"a_debug.o b.sm.o -g", "a_debug.o b_debug.o RUNTIME -g -suppress-debug-info",
	// Options: OPT-029, OPT-058.
	"a.lto.o b.lto.o RUNTIME -Ofc mid", "a.lto.o b.lto.o RUNTIME -Ofc 0", "a.lto.o b.sm.o -Ofc mid", "a.lto.o b.lto.o RUNTIME -split-compile 4", "a.lto.o b.lto.o RUNTIME -split-compile-extended 2",
	"a.lto.o b.lto.o RUNTIME -split-compile-extended 2 -split-compile 3", "a.lto.o b.lto.o -split-compile-extended 0 -emit-ptx", "a.lto.o b.lto.o RUNTIME -Xptxas -O1", "a.lto.o b.lto.o RUNTIME -Xptxas -bogus",
	"a.lto.o b.lto.o RUNTIME -Xnvvm -ftz=1", "a.lto.o b.lto.o RUNTIME -Xnvvm -bogus", "a.lto.o b.lto.o RUNTIME -maxrregcount 32", "a.lto.o b.lto.o RUNTIME -device-stack-protector=true",
	"a.lto.o b.sm.o --preserve-relocs", "a.lto.o b.sm.o -verbose-tkinfo=true -report-arch", "missing.lto.o -report-arch",
}

var ltoErrors = []string{
	// Errors: LTO-010, LTO-030.
	"a.lto.o a.lto.o", "cut.ltoir", "cut.ltoir nofile", "text.ltoir nofile", "q1.lto.o text.ltoir", "magic.ltoir", "a.lto.o", "a.lto.o RUNTIME", "q1.lto.o q2.sm.o",
	"minor.ltoir nofile", "late.ltoir", "q1.lto.o late.ltoir q3.lto.o RUNTIME", "late.ltoir q2.sm.o q3.lto.o", "a.lto.o major.fatbin nofile", "large.lto.o", "large.lto.o b.sm.o", "constants.lto.o", "constants.lto.o b.sm.o", "constants.lto.o -r",
	"a.lto.o b.lto.o RUNTIME -maxrregcount 1000", "a.lto.o b.lto.o -emit-ptx -maxrregcount 1000", "b.sm.o nofile -maxrregcount 1000", "b_1000.o RUNTIME", "b_1000.o RUNTIME -maxrregcount 40",
	// Warnings after a compiler has run: LOAD-046.
	"q1.lto.o q2.sm.o q3.lto.o -Werror", "q1.lto.o q2.sm.o q3.lto.o -disable-infos", "q1.lto.o q2.sm.o b_old.o q3.lto.o -Werror", "q1.ptx q2.sm.o q3.sm.o b_old.o -Werror", "b_old.o q1.ptx -Werror",
}

// ltoTargets has a row for each target: the architecture, the architecture of the intermediate code, and the links.
var ltoTargets = []struct {
	arch, code string
	links      []string
}{
	{"sm_90", "90", ltoEverywhere},
	{"sm_90", "90", ltoRegimes},
	{"sm_90", "90", ltoOptions},
	{"sm_90", "90", ltoErrors},
	{"sm_75", "75", ltoEverywhere},
	{"sm_80", "75", ltoEverywhere},
	{"sm_86", "80", ltoEverywhere},
	{"sm_87", "87", ltoEverywhere},
	{"sm_88", "86", ltoEverywhere},
	{"sm_89", "89", ltoEverywhere},
	{"sm_90a", "90a", ltoEverywhere},
	{"sm_100", "90", ltoEverywhere},
	{"sm_100a", "100", ltoEverywhere},
	{"sm_100f", "100f", ltoEverywhere},
	{"sm_103", "100f", ltoEverywhere},
	{"sm_103a", "103a", ltoEverywhere},
	{"sm_110", "110", ltoEverywhere},
	{"sm_120", "75", ltoEverywhere},
	{"sm_120f", "120f", ltoEverywhere},
	{"sm_121", "120f", ltoEverywhere},
	{"sm_121a", "121a", ltoEverywhere},
	{"compute_90", "90", []string{"a.lto.o b.lto.o RUNTIME -register", "a.lto.o b.sm.o -register", "a.lto.o b.lto.o -emit-ptx", "parent.lto.o RUNTIME -register"}},
	{"sm_80", "90", []string{"a.lto.o b.lto.o RUNTIME", "a.ltoir b.ltoir", "a.ltoir q2.sm.o -emit-ptx", "q1.ltoir q2.ltoir q3.ltoir -r"}},
}

// nvlink and culink, both with NVIDIA's compiler, have the same stdout, stderr, exit status and output files on the same
// inputs.
func TestLTOLive(t *testing.T) {
	oracle, culink := liveTools(t)
	if os.Getenv("CULINK_ALL_LTO") == "" {
		t.Skip("CULINK_ALL_LTO is not set: the 300 links take more than ten minutes; .ci/run dropin has some of them")
	}
	for _, target := range ltoTargets {
		t.Run(target.arch+" from "+target.code, func(t *testing.T) {
			w := openLTOWorkshop(t, oracle, culink, target.arch, target.code, ltoSources)
			same := 0
			for _, line := range target.links {
				if w.compare("-arch=" + target.arch + " -lto -nvvmpath nv -o out/o " + line) {
					same++
				}
			}
			t.Logf("%d links, %d the same, %d of them but for schedules", len(target.links), same, w.scheduled)
		})
	}
}

// openLTOWorkshop opens a workshop for a target. Its intermediate code is for the architecture code.
func openLTOWorkshop(t *testing.T, oracle, culink, target, code string, sources map[string]string) *workshop {
	t.Helper()
	number := target[strings.Index(target, "_")+1:]
	return openWorkshop(t, oracle, culink, sources, ltoRecipes,
		"CODE", "-gencode=arch=compute_"+code+",code=lto_"+code, "MACHINE", "-gencode=arch=compute_"+number+",code=sm_"+number,
		"VIRTUAL", "-gencode=arch=compute_"+number+",code=compute_"+number,
		"RUNTIME", "-L"+filepath.Join(oracle, "lib")+" -lcudadevrt", "-register", "--register-link-binaries=out/r.c")
}
