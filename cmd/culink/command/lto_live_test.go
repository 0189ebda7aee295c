package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ltoSources are the programs of ltoLinks: code that is inlined across files, a ring of
// functions, code with and without references of the host, code that needs libcudadevrt,
// and code that nothing defines.
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
	"parent.cu":  `__global__ void child(int *p) { *p = 1; } __global__ void parent(int *p) { child<<<1, 1>>>(p); }`,
	"missing.cu": `extern __device__ int nowhere(int); extern __device__ int novalue; __global__ void missing(int *p) { *p = nowhere(*p) + novalue; }`,
	"novalue.cu": `extern __device__ int novalue; __global__ void value(int *p) { *p = novalue; }`,
	"maybe.cu":   `extern __device__ int never(int); __device__ int dead(int x) { return never(x); } __global__ void k(int *p) { *p = 2; }`,
}

// ltoFlagged are objects compiled with options that an object notes: the source, the
// name, the options.
var ltoFlagged = [][3]string{
	{"a.cu", "a_fast", "--use_fast_math"}, {"b.cu", "b_fast", "--use_fast_math"}, {"a.cu", "a_ftz", "-ftz=true"}, {"b.cu", "b_nofma", "-fmad=false"},
	{"a.cu", "a_lines", "-lineinfo"}, {"b.cu", "b_16", "-maxrregcount=16"}, {"a.cu", "a_24", "-maxrregcount=24"}, {"a.cu", "a_debug", "-G"}, {"b.cu", "b_debug", "-G"},
}

// ltoEverywhere are links for every target: X.lto.o is a host object with intermediate
// code, X.sm.o one with machine code.
var ltoEverywhere = []string{
	"a.lto.o b.lto.o DEVRT -register",
	"a.lto.o b.sm.o -v",
	"q1.sm.o q2.lto.o q3.lto.o -register",
	"q1.lto.o q2.sm.o q3.lto.o",
	"a.lto.o b.lto.o -r",
	"ha.lto.o hb.lto.o DEVRT",
	"ha.lto.o hb.sm.o DEVRT -v",
	"a.ltoir b.fatbin -emit-ptx",
	"print.lto.o DEVRT",
	"a.lto.o b.lto.o DEVRT -g",
	"q1.lto.o q2.lto.o q3.sm.o -g",
}

// ltoLinks are links for one target, by the rules that they show.
var ltoLinks = []string{
	// The two regimes, and where the program stands: LTO-001, LTO-002.
	"a.lto.o b.sm.o DEVRT -register", "a.sm.o b.lto.o -dump-callgraph", "q1.lto.o q2.sm.o q3.sm.o", "q1.sm.o q2.sm.o q3.lto.o",
	"q1.lto.o q2.lto.o q3.lto.o -force-partial-lto -v", "a.lto.o b.sm.o -force-whole-lto", "a.lto.o b.lto.o -r -v -register", "a.lto.o b.lto.o -r -force-whole-lto",
	"q1.ltoir q2.sm.o q3.ltoir", "q1.ltoir q2.sm.o q3.lto.o -register", "q1.lto.o q2.sm.o q3.fatbin -register", "a.ltoir b.sm.o -v", "a.ltoir b.ltoir -r", "a.ltoir b.ltoir",
	"libab.a DEVRT -register", "a.lto.o -L. -lb DEVRT -register", "q3.lto.o libmixed.a -register", "a.sm.o b.sm.o", "thin.a DEVRT",
	// Host references: LTO-003.
	"ha.lto.o hb.lto.o DEVRT -emit-ptx", "ha.lto.o hb.lto.o DEVRT -ignore-host-info", "ha.lto.o hb.lto.o DEVRT -use-host-info", "ha.lto.o hb.lto.o host.o DEVRT",
	"ha.lto.o hb.fatbin DEVRT", "ha.lto.o hb.lto.o DEVRT -kernels-used used", "ha.lto.o hb.lto.o DEVRT -kernels-used used,launched -variables-used seen",
	"ha.lto.o hb.lto.o DEVRT -variables-used lonely", "ha.lto.o hb.sm.o -kernels-used used", "ha.lto.o hb.lto.o DEVRT -r",
	// libcudadevrt: LTO-004, LTO-005.
	"a.lto.o b.lto.o", "a.lto.o b.ltoir", "DEVRTFILE a.lto.o b.lto.o", "a.lto.o b.lto.o DEVRTFILE", "print.lto.o DEVRT", "print.lto.o", "parent.lto.o DEVRT -register", "parent.lto.o",
	"parent.lto.o DEVRT -r", "maybe.lto.o DEVRT", "maybe.lto.o", "missing.lto.o DEVRT -register", "missing.lto.o DEVRT -force-whole-lto", "novalue.lto.o DEVRT",
	"a.lto.o b.lto.o DEVRT -keep-system-libraries -register",
	// The files beside the output: LTO-006, LTO-007, LTO-008.
	"q1.lto.o q2.lto.o q3.lto.o DEVRT -register -dot out/d.dot -v -dump-callgraph", "q1.lto.o q2.lto.o q3.lto.o -emit-ptx -register -dot out/d.dot",
	"a.lto.o b.lto.o DEVRT -time out/t.csv", "a.lto.o b.sm.o -time -", "a.lto.o b.lto.o -emit-ptx -time out/t.csv", "parent.lto.o DEVRT -time out/t.csv",
	// How objects were compiled: LTO-020.
	"a_fast.o b_fast.o DEVRT", "a_fast.o b.lto.o DEVRT", "a.lto.o b_nofma.o", "a_ftz.o b.ltoir DEVRT", "a_lines.o b.lto.o DEVRT", "a_lines.o b_16.o DEVRT", "a_24.o b_16.o DEVRT",
	"a_24.o b_16.o DEVRT -maxrregcount 40", "a_24.o b_16.o -maxrregcount 0", "a_24.o b_16.o DEVRT -maxrregcount=-1", "a_debug.o b_debug.o DEVRT", "a_debug.o b_debug.o DEVRT -g",
	"a_debug.o b.sm.o -g", "a_debug.o b_debug.o DEVRT -g -suppress-debug-info",
	// Options: OPT-029, OPT-058.
	"a.lto.o b.lto.o DEVRT -Ofc mid", "a.lto.o b.lto.o DEVRT -Ofc 0", "a.lto.o b.sm.o -Ofc mid", "a.lto.o b.lto.o DEVRT -split-compile 4", "a.lto.o b.lto.o DEVRT -split-compile-extended 2",
	"a.lto.o b.lto.o DEVRT -split-compile-extended 2 -split-compile 3", "a.lto.o b.lto.o -split-compile-extended 0 -emit-ptx", "a.lto.o b.lto.o DEVRT -Xptxas -O1", "a.lto.o b.lto.o DEVRT -Xptxas -bogus",
	"a.lto.o b.lto.o DEVRT -Xnvvm -ftz=1", "a.lto.o b.lto.o DEVRT -Xnvvm -bogus", "a.lto.o b.lto.o DEVRT -maxrregcount 32", "a.lto.o b.lto.o DEVRT -device-stack-protector=true",
	"a.lto.o b.sm.o --preserve-relocs", "a.lto.o b.sm.o -verbose-tkinfo=true -report-arch", "missing.lto.o -report-arch",
	// Errors: LTO-010, LTO-030.
	"a.lto.o a.lto.o", "cut.ltoir", "cut.ltoir nofile", "text.ltoir nofile", "q1.lto.o text.ltoir", "magic.ltoir", "a.lto.o", "a.lto.o DEVRT", "q1.lto.o q2.sm.o",
	// Warnings after a compiler ran: LOAD-046.
	"q1.lto.o q2.sm.o q3.lto.o -Werror", "q1.lto.o q2.sm.o q3.lto.o -disable-infos", "q1.lto.o q2.sm.o b_old.o q3.lto.o -Werror", "q1.ptx q2.sm.o q3.sm.o b_old.o -Werror", "b_old.o q1.ptx -Werror",
}

// ltoTargets are the targets of the live test: the architecture, that of the intermediate
// code, and the links.
var ltoTargets = []struct {
	arch, code string
	links      []string
}{
	{"sm_90", "90", append(append([]string{}, ltoEverywhere...), ltoLinks...)},
	{"sm_75", "75", ltoEverywhere},
	{"sm_80", "75", ltoEverywhere},
	{"sm_90a", "90a", ltoEverywhere},
	{"sm_100", "90", ltoEverywhere},
	{"sm_103a", "103a", ltoEverywhere},
	{"sm_120f", "120f", ltoEverywhere},
	{"sm_121", "120f", ltoEverywhere},
	{"compute_90", "90", []string{"a.lto.o b.lto.o DEVRT -register", "a.lto.o b.sm.o -register", "a.lto.o b.lto.o -emit-ptx", "parent.lto.o DEVRT -register"}},
	{"sm_80", "90", []string{"a.lto.o b.lto.o DEVRT"}},
}

// TestLTOLive runs nvlink and culink with NVIDIA's compiler on the same inputs: stdout,
// stderr, exit status and every file that they write are the same.
func TestLTOLive(t *testing.T) {
	oracle := os.Getenv("CULINK_ORACLE")
	if oracle == "" {
		t.Skip("CULINK_ORACLE names no toolkit")
	}
	if os.Getenv("CULINK_ALL_LTO") == "" {
		t.Skip("CULINK_ALL_LTO is not set: the 180 links take more than ten minutes; .ci/nvcc-dropin.sh has some of them")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	culink := filepath.Join(t.TempDir(), "nvlink")
	for program, source := range map[string]string{culink: "..", filepath.Join(filepath.Dir(culink), "culink-lto"): "../../culink-lto"} {
		if said, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	for _, target := range ltoTargets {
		t.Run(target.arch+" from "+target.code, func(t *testing.T) {
			dir := compileLTO(t, oracle, target.arch, target.code)
			for _, line := range target.links {
				line = "-arch=" + target.arch + " -lto -nvvmpath nv -o out/o " + strings.NewReplacer(
					"DEVRTFILE", filepath.Join(oracle, "lib", "libcudadevrt.a"), "DEVRT", "-L"+filepath.Join(oracle, "lib")+" -lcudadevrt",
					"-register", "--register-link-binaries=out/r.c").Replace(line)
				want := runLinker(t, oracle, dir, filepath.Join(oracle, "bin", "nvlink"), line)
				got := runLinker(t, oracle, dir, culink, line)
				for part, text := range want {
					if got[part] != text {
						t.Errorf("nvlink %s\n%s is %.300q\nwant %.300q", line, part, got[part], text)
					}
				}
				for part := range got {
					if _, ok := want[part]; !ok {
						t.Errorf("nvlink %s\nwrites %s, which nvlink does not", line, part)
					}
				}
			}
			t.Logf("%d links", len(target.links))
		})
	}
}

// compileLTO makes the inputs of the links. What is named X.sm.o is machine code for the
// architecture itself.
func compileLTO(t *testing.T, oracle, arch, code string) string {
	t.Helper()
	dir := t.TempDir()
	call := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, said)
		}
	}
	nvcc := filepath.Join(oracle, "bin", "nvcc")
	intermediate := "-gencode=arch=compute_" + code + ",code=lto_" + code
	number := arch[strings.Index(arch, "_")+1:]
	machine := "-gencode=arch=compute_" + number + ",code=sm_" + number
	for name, text := range ltoSources {
		write(t, filepath.Join(dir, name), []byte(text))
		base, ok := strings.CutSuffix(name, ".cu")
		if !ok {
			continue
		}
		call(nvcc, intermediate, "-dc", name, "-o", base+".lto.o")
		switch base {
		case "a", "b", "q1", "q2", "q3", "hb":
			call(nvcc, machine, "-dc", name, "-o", base+".sm.o")
			call(nvcc, intermediate, "-rdc=true", "-fatbin", name, "-o", base+".fatbin")
			call(nvcc, intermediate, "-rdc=true", "-ltoir", name, "-o", base+".ltoir")
		}
	}
	if arch == "sm_90" {
		for _, f := range ltoFlagged {
			call(nvcc, "-arch=lto_"+code, "-dc", f[0], "-o", f[1]+".o", f[2])
		}
		call(nvcc, "-gencode=arch=compute_75,code=sm_75", "-dc", "b.cu", "-o", "b_old.o")
		call(nvcc, "-gencode=arch=compute_75,code=compute_75", "-rdc=true", "-ptx", "q1.cu")
		call("g++", "-c", "host.cc", "-o", "host.o")
		call("ar", "rc", "libab.a", "a.lto.o", "b.lto.o")
		call("ar", "rc", "libb.a", "b.lto.o")
		call("ar", "rc", "libmixed.a", "q1.lto.o", "q2.sm.o")
		call("ar", "rcT", "thin.a", "a.lto.o", "b.lto.o")
		code, err := os.ReadFile(filepath.Join(dir, "a.ltoir"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "cut.ltoir"), code[:900])
		write(t, filepath.Join(dir, "text.ltoir"), []byte(strings.Repeat("not intermediate code ", 20)))
		write(t, filepath.Join(dir, "magic.ltoir"), append(append([]byte{}, code[:4]...), make([]byte, 3000)...))
	}
	write(t, filepath.Join(dir, "nv", "lib64", "nothing"), nil)
	if err := os.Symlink(filepath.Join(oracle, "lib", "libnvvm.so.4"), filepath.Join(dir, "nv", "lib64", "libnvvm.so")); err != nil {
		t.Fatal(err)
	}
	return dir
}
