package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/fatbin"
)

// The functions below make host objects in the forms that nvcc and clang write, without these compilers.

// relocatable returns a host object with the code of a cubin, in the form that nvcc writes with -rdc=true.
func relocatable(module string, cubin string) []byte {
	return craft.RDC(craft.Fatbin(craft.Entry{Kind: uint16(fatbin.ELF), Arch: 90, Payload: []byte(cubin)}), module)
}

// wholeObject returns a host object that defines functions, in the form that nvcc writes without -rdc=true.
func wholeObject(functions ...string) []byte {
	code := craft.Fatbin(craft.Entry{Kind: uint16(fatbin.PTX), Arch: 90, Payload: []byte(".version 8.0\n.target sm_90\n.address_size 64\n")})
	return craft.HostObject(craft.Defining([]craft.Section{{Name: ".nv_fatbin", Data: code}}, functions...)...)
}

// deviceLink returns an object in the form that nvcc -dlink writes for modules.
func deviceLink(modules ...string) []byte {
	var ids string
	for _, m := range modules {
		ids += "def " + m + "\x00"
	}
	return craft.HostObject(craft.Section{Name: "__nv_module_id", Data: []byte(ids)}, craft.Section{Name: ".nv_fatbin", Data: craft.Fatbin()})
}

// forge writes the cubins whose text forms are in a scenario.
func forge(t *testing.T, scenario string, names ...string) {
	text := read(t, scenario)
	for _, name := range names {
		_, part, _ := strings.Cut(text, "-- "+name+".txt --\n")
		part, _, _ = strings.Cut(part, "\n-- ")
		data, err := cubintext.Parse(name, part+"\n")
		if err != nil {
			t.Fatal(err)
		}
		write(t, name+".cubin", data)
	}
}

// objectSituations returns the rows of the table about host objects, and about code that a link loses silently.
// scenarios is the folder testscripts.
func objectSituations(scenarios string) []situation {
	const link = "-arch=sm_90 -o out.cubin caller.cubin "
	files := func(words string, content func(t *testing.T) map[string][]byte) func(*testing.T, []string) []string {
		return func(t *testing.T, _ []string) []string {
			for name, data := range content(t) {
				write(t, name, data)
			}
			return strings.Fields(link + words)
		}
	}
	scrambled := func() []byte {
		code := craft.Fatbin(craft.Entry{Kind: uint16(fatbin.LTOIR), Arch: 90, Flags: fatbin.FlagScrambled, Payload: []byte(strings.Repeat("code", 20)), Compress: "zstd"})
		return craft.HostObject(craft.Defining([]craft.Section{{Name: "__nv_relfatbin", Data: code}, {Name: ".nvFatBinSegment", Data: make([]byte, 24)}, {Name: "__nv_module_id", Data: []byte("_m\x00")}}, "_Z6calleei")...)
	}
	codeFile := append([]byte("\xedCN\x7f"), make([]byte, 60)...)
	return []situation{
		{"an object was compiled without -rdc=true", "basic/two-files", "90", 1, files("callee.o", func(*testing.T) map[string][]byte {
			return map[string][]byte{"callee.o": wholeObject("_Z6calleei")}
		}), "CUDA_SEPARABLE_COMPILATION"},
		{"a library was compiled without -rdc=true", "basic/two-files", "90", 1, files("-L. -lcallee", func(*testing.T) map[string][]byte {
			return map[string][]byte{"libcallee.a": craft.Archive(craft.Member{Name: "callee.o/", Data: wholeObject("_Z6calleei")})}
		}), "libcallee.a:callee.o, compiled without -rdc=true"},
		{"a library holds its own device link", "basic/two-files", "90", 1, files("--register-link-binaries=r.c libcallee.a", func(t *testing.T) map[string][]byte {
			part := craft.Member{Name: "callee.o/", Data: relocatable("_part", read(t, "callee.cubin"))}
			return map[string][]byte{"libcallee.a": craft.Archive(part, craft.Member{Name: "dlink.o/", Data: deviceLink("_part")}), "libparts.a": craft.Archive(part)}
		}), "leave dlink.o"},
		{"a device link stands beside its parts", "basic/two-files", "90", 1, files("--register-link-binaries=r.c callee.o dlink.o", func(t *testing.T) map[string][]byte {
			return map[string][]byte{"callee.o": relocatable("_part", read(t, "callee.cubin")), "dlink.o": deviceLink("_part")}
		}), "lists it as linked already"},
		{"libraries for several targets define it", "archive/library", "90", 1, files("-L other -L lib", func(t *testing.T) map[string][]byte {
			return map[string][]byte{"other/libcallee.a": []byte(inputOf(t, "archive/library/sm_100/in/lib/libcallee.a"))}
		}), "for sm_90"},
		{"a later toolkit packed the code of an object", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			code := craft.Fatbin(craft.Entry{Kind: uint16(fatbin.ELF), Arch: 90, Payload: []byte(read(t, "caller.cubin")), Compress: "zstd"})
			write(t, "caller.o", craft.RDC(code, "_caller"))
			return strings.Fields("--toolkit=11.8 -arch=sm_90 caller.o -o out.cubin")
		}, "packed in a way"},
		{"an object holds intermediate code", "basic/two-files", "90", 1, files("callee.o", func(*testing.T) map[string][]byte {
			return map[string][]byte{"callee.o": scrambled()}
		}), "LTO objects found"},
		{"a library holds intermediate code", "basic/two-files", "90", 1, files("-L.", func(*testing.T) map[string][]byte {
			return map[string][]byte{"libcallee.a": craft.Archive(craft.Member{Name: "callee.o/", Data: scrambled()})}
		}), "intermediate code for compute_90"},
		{"a file of intermediate code is linked without -lto", "basic/two-files", "90", 1, files("callee.ltoir", func(*testing.T) map[string][]byte {
			return map[string][]byte{"callee.ltoir": codeFile}
		}), "intermediate code"},
		{"a file of intermediate code has another suffix", "basic/two-files", "90", 1, files("callee.o", func(*testing.T) map[string][]byte {
			return map[string][]byte{"callee.o": codeFile}
		}), "name it .ltoir"},
		{"an archive holds files of intermediate code", "basic/two-files", "90", 1, files("libcallee.a", func(*testing.T) map[string][]byte {
			return map[string][]byte{"libcallee.a": craft.Archive(craft.Member{Name: "callee.ltoir/", Data: codeFile})}
		}), "an archive of device code"},
		{"a file is bitcode", "basic/two-files", "90", 1, files("callee.bc", func(*testing.T) map[string][]byte {
			return map[string][]byte{"callee.bc": append([]byte("BC\xc0\xde"), make([]byte, 60)...)}
		}), "callee.bc"},
		{"-lto is given without -nvvmpath", "basic/two-files", "90", 1, files("-lto callee.cubin", func(*testing.T) map[string][]byte {
			return nil
		}), "the folder nvvm of the toolkit"},
		{"an object is clang's", "basic/two-files", "90", 1, files("callee.o", func(*testing.T) map[string][]byte {
			return map[string][]byte{"callee.o": craft.HostObject(craft.Section{Name: ".llvm.offloading", Data: []byte("\x10\xff\x10\xad _Z6calleei")})}
		}), ".llvm.offloading"},
		{"an archive holds fat binaries", "basic/two-files", "90", 1, files("libcallee.a", func(t *testing.T) map[string][]byte {
			code := craft.Fatbin(craft.Entry{Kind: uint16(fatbin.ELF), Arch: 90, Payload: []byte(read(t, "callee.cubin"))})
			return map[string][]byte{"libcallee.a": craft.Archive(craft.Member{Name: "callee.fatbin/", Data: code})}
		}), "device code in an archive"},
		{"a cubin was compiled without -rdc=true", "basic/two-files", "90", 1, files("callee.cubin", func(t *testing.T) map[string][]byte {
			const typeAt, executable = 16, 2
			cubin := []byte(read(t, "callee.cubin"))
			cubin[typeAt] = executable
			return map[string][]byte{"callee.cubin": cubin}
		}), "only relocatable ones are linked"},
		{"a library has nothing that is used", "basic/two-files", "90", 1, files("callee.cubin libother.a", func(t *testing.T) map[string][]byte {
			other := strings.ReplaceAll(read(t, "callee.cubin"), "_Z6calleei", "_Z6othersi")
			return map[string][]byte{"libother.a": craft.Archive(craft.Member{Name: "other.o/", Data: relocatable("_other", other)})}
		}), "functions that no other input names"},
		{"an extern shared array has its size in a later file", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			forge(t, filepath.Join(scenarios, "layout", "shared-extern-sized-later.txtar"), "a", "b")
			return strings.Fields("-arch=sm_80 a.cubin b.cubin -o out.cubin")
		}, "with the address -1"},
		{"a file is named twice", "basic/two-files", "90", 1, files("callee.cubin ./callee.cubin", func(*testing.T) map[string][]byte { return nil }), "more than once"},
		{"prototypes differ", "messages/prototype-mismatch", "90", 1, nil, "differs   "},
	}
}
