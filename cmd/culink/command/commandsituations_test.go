package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
)

// commandSituations returns the rows of the table about command lines, about files that are not what their name says, and
// about code that does not fit together. scenarios is the folder testscripts.
func commandSituations(scenarios string) []situation {
	words := func(line string) func(*testing.T, []string) []string {
		return func(*testing.T, []string) []string { return strings.Fields(line + " -o out.cubin") }
	}
	// named returns a preparation that writes a file in front of a link of two cubins.
	named := func(name string, content func(t *testing.T) []byte) func(*testing.T, []string) []string {
		return func(t *testing.T, _ []string) []string {
			write(t, name, content(t))
			return strings.Fields("-arch=sm_90 caller.cubin callee.cubin " + name + " -o out.cubin")
		}
	}
	forged := func(scenario, link string, names ...string) func(*testing.T, []string) []string {
		return func(t *testing.T, _ []string) []string {
			forge(t, filepath.Join(scenarios, scenario+".txtar"), names...)
			return strings.Fields(link + " -o out.cubin")
		}
	}
	object := func(t *testing.T) []byte { return relocatable("_m", read(t, "callee.cubin")) }
	const files = "basic/two-files"
	return []situation{
		{"there is no -arch", files, "90", 1, words("caller.cubin callee.cubin"), "code for sm_90"},
		{"the target is a number", files, "90", 1, words("-arch=90 caller.cubin callee.cubin"), "-arch=sm_90"},
		{"-arch lists several targets", files, "90", 1, words("-arch=sm_80,sm_90 caller.cubin callee.cubin"), "a link is for one target"},
		{"the target is virtual", "options/virtual-target", "90", 2, nil, "-arch=sm_90"},
		{"an option of nvcc reaches the linker", files, "90", 1, words("-arch=sm_90 -rdc=true caller.cubin callee.cubin"), "an option of nvcc"},
		{"an option of the host's linker reaches it", files, "90", 1, words("-arch=sm_90 --whole-archive caller.cubin callee.cubin"), "-Xlinker"},
		{"the link is for 32 bits", files, "90", 1, words("-arch=sm_90 -m32 caller.cubin callee.cubin"), "64, the only value"},
		{"the processor of the host has another spelling", files, "90", 1, words("-arch=sm_90 -cpu-arch=x86_64 caller.cubin callee.cubin"), "near      X86_64"},
		{"-l has the name of the file", files, "90", 1, words("-arch=sm_90 -L. -llibcallee.a caller.cubin"), "try -lcallee"},
		{"-l has the path of a file", files, "90", 1, words("-arch=sm_90 -llib/libcallee.a caller.cubin"), "without -l"},
		{"-cuda-api-version is of another major version", files, "90", 1, words("-arch=sm_90 -cuda-api-version=12.9 caller.cubin callee.cubin"), "-cuda-api-version=13.0"},
		{"an object needs a later -cuda-api-version", "options/api-version-of-objects", "80", 1, nil, "needs     "},
		{"the file of options is not there", files, "90", 1, words("--options-file=nosuch.txt"), "no such file"},
		{"the folder of the output is not there", files, "90", 1, func(_ *testing.T, _ []string) []string {
			return strings.Fields("-arch=sm_90 caller.cubin callee.cubin -o nosuch/out.cubin")
		}, "no such file"},
		{"a file is too short", files, "90", 1, named("short.cubin", func(*testing.T) []byte { return []byte("\x7fELF") }), "a file of 4 bytes"},
		{"a host object is named .cubin", files, "90", 1, named("object.cubin", object), "object.cubin: a host object"},
		{"a text is named .cubin", files, "90", 1, named("text.cubin", func(*testing.T) []byte {
			return []byte(strings.Repeat("version https://git-lfs.github.com/spec/v1\n", 3))
		}), "text.cubin: no object"},
		{"a library is named .fatbin", files, "90", 1, named("library.fatbin", func(t *testing.T) []byte {
			return craft.Archive(craft.Member{Name: "callee.o/", Data: object(t)})
		}), "library.fatbin: an archive"},
		{"a host object is named .ptx", files, "90", 1, named("object.ptx", object), "object.ptx: a host object"},
		{"a file stands behind the device runtime", "archive/behind-device-runtime", "90", 1, nil, "behind all other inputs"},
		{"a kernel has other parameters elsewhere", files, "90", 1, forged("diag/weak-kernel-parameters-differ", "-arch=sm_80 a.cubin b.cubin", "a", "b"), "bytes of constant bank 0"},
		{"a kernel has large parameters beside an old object", files, "90", 1, forged("info/large-parameters-old-object", "-arch=sm_80 a.cubin b.cubin", "a", "b"), "made by   b.cubin"},
		{"code for unified addresses has no index", files, "90", 1, forged("layout/unified-without-index", "-arch=sm_80 functions.cubin", "functions"), "-uidx"},
		{"reserved shared memory is switched off", files, "90", 1, forged("info/reserved-shared-refused", "-arch=sm_80 -disable-smem-reservation=true a.cubin", "a"), "without -disable-smem-reservation"},
		{"tensor memory is used by one block and by two", files, "90", 1, forged("info/cta-group-conflict", "-arch=sm_90 a.cubin", "a"), ".cta_group"},
		{"an object is for another ABI", files, "90", 1, forged("diag/header-abi-version", "-arch=sm_80 a.cubin", "a"), "compile it again"},
		{"an object has lost its fat binary", files, "90", 1, named("stripped.o", func(*testing.T) []byte {
			return craft.HostObject(craft.Section{Name: ".nvFatBinSegment", Data: make([]byte, 24)})
		}), "its fat binary is lost"},
		{"-lto is given, and a file has no intermediate code", files, "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "nvvm/lib64/libnvvm.so", nil)
			return strings.Fields("-arch=sm_90 -lto -nvvmpath=nvvm caller.cubin callee.cubin -o out.cubin")
		}, "nvcc -dlto too"},
		{"code for sm_90a is linked for sm_90", files, "90a", 1, words("--toolkit=13.5 -arch=sm_90 caller.cubin callee.cubin"), "caller.cubin: code for sm_90a"},
		{"-kernels-used has the name of the source", files, "90", 1, words("-arch=sm_90 -kernels-used=caller(int*) caller.cubin callee.cubin"), "_Z6callerPi"},
		{"an extensible whole program is linked with other code", files, "80", 1, forged("diag/header-ewp", "-arch=sm_80 caller.cubin callee.cubin a.cubin", "a"), "nothing but -lcudadevrt"},
	}
}
