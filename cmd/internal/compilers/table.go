package main

import (
	"path/filepath"
	"strings"
)

// A compiler is a row of the table of compilers.
type compiler struct {
	name    string
	release string   // of NVIDIA's tools, instead of packages
	wheels  string   // packages of the Python package index, in a virtual environment
	debs    string   // packages of Debian
	needs   []string // programs that must be installed
	units   []string // sources, each compiled by one run of the command; those of other languages are named by the command
	targets []string // the PTX of one target serves later targets too, a cubin serves only its own
	options []string // each unit is compiled with each of them
	// command is a command line, or several, with " && " between them. {at} is the folder of the packages, {made} is the
	// path of the unit without its extension, {folder} is the folder of the units. {sources}, {source}, {target},
	// {options}, {name} and {oracle} speak for themselves.
	command string
}

var (
	ofCUDA = []string{"leaf.cu", "mid.cu", "kernel.cu"}
	all    = []string{"80", "90a", "100a", "120a"} // the letters are those of Triton, which must match to mix units
	first  = []string{"80"}
)

// once is the unit of a command that makes several units by itself.
var once = []string{"all"}

// table lists the compilers.
var table = []compiler{
	nvcc("13.0.88"), nvcc("13.2.86"), nvcc("13.4.92"), nvcc("13.5.37"),
	nvrtc("13.0.88"), nvrtc("13.5.37"),
	clang("14", "70"), clang("16", "78"), clang("19", "85"), clang("22", "88"),
	{name: "zig-clang", wheels: zig, units: ofCUDA, targets: []string{"80", "90", "120"}, options: ofClang,
		command: "{at}/bin/python -m ziglang clang" + cudaOfClang + " --cuda-feature=+ptx87 {source} -o {made}.ptx"},
	{name: "zig", wheels: zig, units: []string{"unit.zig"}, targets: []string{"80", "120"}, options: []string{"-O ReleaseFast -fstrip", "-O ReleaseSmall", "-O Debug", "-O ReleaseSafe"},
		command: "{at}/bin/python -m ziglang build-obj -target nvptx64-cuda -mcpu sm_{target} {options} -fno-emit-bin -femit-asm={made}.ptx {source}"},
	{name: "rust", needs: []string{"rustc"}, units: []string{"mid.rs", "kernel.rs"}, targets: []string{"80", "90"}, options: []string{"-O", "-C opt-level=0", "-C opt-level=1"},
		// RUSTC_BOOTSTRAP allows the items of the language in a stable compiler.
		command: "env RUSTC_BOOTSTRAP=1 rustc --target nvptx64-nvidia-cuda -C target-cpu=sm_{target} --emit=asm -C overflow-checks=off {options} {source} -o {made}.ptx"},
	{name: "ldc", debs: "ldc libllvm14 libphobos2-ldc-shared100 libphobos2-ldc-shared-dev", units: []string{"unit.d"}, targets: first, options: []string{"-O", "-O0", "-O -g"},
		command: "{at}/usr/bin/ldc2 -conf={sources}/ldc2.conf -I{at}/usr/lib/ldc/x86_64-linux-gnu/include/d -mdcompute-targets=cuda-{target}0 -mdcompute-file-prefix=made {options} -c {source} && mv made_cuda{target}0_64.ptx {made}.ptx"},
	{name: "gcc", debs: "gcc-12-offload-nvptx nvptx-tools", needs: []string{"gcc-12"}, units: []string{"unit.c"}, targets: first, options: []string{"-O2", "-O0", "-O3 -ffast-math"},
		command: "gcc-12 -fopenacc -foffload=nvptx-none -B{at}/usr/lib/gcc/x86_64-linux-gnu/12 {options} -c {source} -o {made}.o && " +
			"{at}/usr/bin/x86_64-linux-gnu-accel-nvptx-none-gcc-12 -xlto -fopenacc -misa=sm_{target} -S {made}.o -o {made}.s && " +
			"{at}/usr/bin/nvptx-none-as --no-verify {made}.s -o {made}.ptx"},
	python("llvm", "llvmlite==0.50.0", "80", "90"),
	python("numba", numba, "80"),
	python("triton", "triton==3.9.0 numpy setuptools", "80", "90", "100", "120"),
	python("warp", "warp-lang==1.19.0", "80", "90", "100", "120"),
	python("cute", "nvidia-cutlass-dsl==4.8.1", "80", "90a", "100a", "120a"),
}

const (
	zig         = "ziglang==0.17.0"
	numba       = "numba-cuda==0.30.4 nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-nvrtc==13.0.88"
	cudaOfClang = " -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_{target} -S -w {options} -DMAKER=clang"
)

var ofClang = []string{"-O2", "-O0", "-O2 -g", "-O3 -ffast-math", "-O0 -g"}

func nvcc(release string) compiler {
	return compiler{name: "nvcc-" + release, release: release, units: ofCUDA, targets: all,
		options: []string{"", "-G", "-lineinfo", "-Xcicc -O0 -Xptxas -O0", "-maxrregcount=24 -use_fast_math", "-fmad=false -Xptxas --def-load-cache=cg"},
		command: "{at}/bin/nvcc -I{at}/include -I{oracle}/include -w -rdc=true -arch=sm_{target} {options} -DMAKER=nvcc -cubin {source} -o {made}.cubin"}
}

func nvrtc(release string) compiler {
	return python("nvrtc", "nvidia-cuda-nvrtc=="+release, all...).named("nvrtc-" + release)
}

// clang is a version of Clang, with the version of PTX that it writes.
func clang(version, ptx string) compiler {
	return compiler{name: "clang-" + version, debs: "clang-" + version + " libclang-cpp" + version + " libllvm" + version + " libclang-common-" + version + "-dev",
		units: ofCUDA, targets: first, options: ofClang,
		command: "{at}/usr/lib/llvm-" + version + "/bin/clang" + cudaOfClang + version + " -Xclang -target-feature -Xclang +ptx" + ptx + " {source} -o {made}.ptx"}
}

// python is a compiler that a script beside the sources calls.
func python(name, wheels string, targets ...string) compiler {
	return compiler{name: name, wheels: wheels, units: once, targets: targets,
		command: "{at}/bin/python {sources}/" + name + "_units.py {sources} {folder} {target}"}
}

func (c compiler) named(name string) compiler {
	c.name = name
	return c
}

// ofSystem reports whether the system has the compiler, in any version.
func (c compiler) ofSystem() bool { return c.release+c.wheels+c.debs == "" }

func (c compiler) variants() []string {
	if len(c.options) == 0 {
		return []string{""}
	}
	return c.options
}

// environment returns the variables with which programs of Debian packages find their libraries.
func (c compiler) environment(at string) []string {
	if c.debs == "" {
		return nil
	}
	var folders []string
	for _, folder := range []string{"usr/lib/x86_64-linux-gnu", "usr/lib"} {
		folders = append(folders, filepath.Join(at, filepath.FromSlash(folder)))
	}
	return []string{"LD_LIBRARY_PATH=" + strings.Join(folders, string(filepath.ListSeparator))}
}
