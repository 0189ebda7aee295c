package input

import (
	"context"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/lto"
	"github.com/google/go-cmp/cmp"
)

// TestMatchWildcards checks which names a pattern with wildcards matches (LOAD-024).
func TestMatchWildcards(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"k", "k", true},
		{"k", "kk", false},
		{"k*", "k", true},
		{"k*", "kk", true},
		{"*k", "ak", true},
		{"*k", "ka", false},
		{"*", "", true},
		{"**", "x", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "abc", true},
		{"a*b*c", "acb", false},
		{"a*a", "a", false},
		{"ab*ba", "aba", false},
		{"__nv_static_22__846837a1_4_h_cu__Z1fi_*2sk*", "__nv_static_22__846837a1_4_h_cu__Z1fi__Z2skPi", true},
		{"k?", "kk", false},
		{"", "k", false},
	} {
		if got := matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}

// matches reports whether a pattern with wildcards matches a name.
func matches(pattern, name string) bool {
	var p patterns
	p.add([]string{pattern})
	return p.match(name, math.MaxUint64, new(uint64))
}

// TestKernelFilter compares the kernels that are kept with the recorded ones (LOAD-024).
func TestKernelFilter(t *testing.T) { testKernelFilter(t, false) }

// TestLiveKernelFilter also compares the recorded kernels with those that nvlink keeps.
func TestLiveKernelFilter(t *testing.T) {
	toolstest.Oracle(t)
	testKernelFilter(t, true)
}

func testKernelFilter(t *testing.T, live bool) {
	k90, w90, exec90 := load(t, "k.90.cubin"), load(t, "w.90.cubin"), load(t, "exec.90.cubin")
	s90 := load(t, "s.90.cubin") // kernels s (external) and t (internal)
	refs := func(external, internal string) []craft.Section {
		return []craft.Section{{Name: ".nvHRKE", Data: []byte(external)}, {Name: ".nvHRKI", Data: []byte(internal)}}
	}
	host := func(data []byte, more ...craft.Section) []byte {
		return craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: data}), "_id", more...)
	}
	k := func(external string) inputFile { return inputFile{"k.o", host(k90, refs(external, "\x00")...)} }
	kIn := func(internal string) inputFile { return inputFile{"k.o", host(k90, refs("\x00", internal)...)} }
	sObj := func(external, internal string) inputFile {
		return inputFile{"s.o", host(s90, refs(external, internal)...)}
	}
	none := refs("\x00", "\x00")
	w := inputFile{"w.o", host(w90, none...)}
	other := func(external string) []byte {
		return craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 80, Payload: load(t, "w.80.cubin")}), "_id", refs(external, "\x00")...)
	}
	archive := func(data []byte) inputFile {
		return inputFile{"x.a", craft.Archive(craft.Member{Name: "m.o/", Data: data})}
	}
	cut := func(data []byte) inputFile {
		file := archive(data)
		file.data = file.data[:len(file.data)/2]
		return file
	}
	whole := func(more ...craft.Section) []byte {
		return craft.HostObject(append([]craft.Section{{Name: ".nv_fatbin"}, {Name: ".nvFatBinSegment"}}, more...)...)
	}
	noDevice := craft.HostObject(craft.Section{Name: ".text"})
	local := "__nv_static_18__56318817_4_s_cu_s__Z1tPf"
	tests := []struct {
		name  string
		files []inputFile
		want  string // kernels that stay
	}{
		{"no sections", []inputFile{{"k.o", host(k90)}, {"w.o", host(w90)}}, "k w"},
		{"no sections in the second", []inputFile{k("k\x00"), {"w.o", host(w90)}}, "k w"},
		{"no sections in the first", []inputFile{{"w.o", host(w90)}, k("k\x00")}, "k w"},
		{"empty section in the second", []inputFile{k("k\x00"), {"w.o", host(w90, refs("", "\x00")...)}}, "k w"},
		{"no external section in the second", []inputFile{k("k\x00"), {"w.o", host(w90, refs("", "w\x00")[1:]...)}}, "k w"},
		{"no names", []inputFile{k("\x00"), w}, "k w"},
		{"two empty names", []inputFile{k("\x00\x00"), w}, ""},
		{"two empty internal names", []inputFile{kIn("\x00\x00"), w}, ""},
		{"first", []inputFile{k("k\x00"), w}, "k"},
		{"second", []inputFile{k("w\x00"), w}, "w"},
		{"both", []inputFile{k("k\x00w\x00"), w}, "k w"},
		{"both, empty names between", []inputFile{k("\x00k\x00\x00w\x00\x00"), w}, "k w"},
		{"no such kernel", []inputFile{k("zzz\x00"), w}, ""},
		{"more than the name", []inputFile{k("kk\x00"), w}, ""},
		{"star behind", []inputFile{k("k*\x00"), w}, "k"},
		{"star before", []inputFile{k("*w\x00"), w}, "w"},
		{"star alone", []inputFile{k("*\x00"), w}, "k w"},
		{"two stars", []inputFile{k("*k*\x00"), w}, "k"},
		{"question mark", []inputFile{k("?\x00"), w}, ""},
		{"set of letters", []inputFile{k("[kw]\x00"), w}, ""},
		{"internal name of an external kernel", []inputFile{kIn("k\x00"), w}, ""},
		{"internal star and external kernels", []inputFile{kIn("*\x00"), w}, ""},
		{"external name of an internal kernel", []inputFile{sObj(local+"\x00", "\x00")}, ""},
		{"external star", []inputFile{sObj("*\x00", "\x00")}, "s"},
		{"internal name", []inputFile{sObj("\x00", local+"\x00")}, local},
		{"internal pattern", []inputFile{sObj("\x00", "__nv_static_18__56318817_4_s_cu_s_*1t*\x00")}, local},
		{"internal pattern of another file", []inputFile{sObj("\x00", "__nv_static_18__56318817_4_x_cu_s_*1t*\x00")}, ""},
		{"internal pattern that ends early", []inputFile{sObj("\x00", "__nv_static_18__56318817_4_s_cu_s_*1t\x00")}, ""},
		{"external and internal", []inputFile{sObj("s\x00", "*t*\x00")}, local + " s"},
		{"variables only", []inputFile{{"k.o", host(k90, append(none, craft.Section{Name: ".nvHRDE", Data: []byte("g\x00")})...)}, w}, "k w"},
		{"cubin behind", []inputFile{k("k\x00"), {"w.cubin", w90}}, "k w"},
		{"cubin before", []inputFile{{"w.cubin", w90}, k("zzz\x00")}, "k w"},
		{"cubin named .o", []inputFile{{"v.o", w90}, k("zzz\x00")}, "k w"},
		{"fat binary", []inputFile{{"w.fatbin", craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: w90})}, k("zzz\x00")}, "k w"},
		{"cubin named .ptx", []inputFile{{"w.ptx", w90}, k("zzz\x00")}, "k w"},
		{"cubin that is ignored for its name", []inputFile{{"w.txt", w90}, k("zzz\x00")}, "k"},
		{"cubin that is cut", []inputFile{{"x.cubin", w90[:len(w90)-1]}, k("k\x00"), w}, "k w"},
		{"executable cubin", []inputFile{{"x.cubin", exec90}, k("k\x00"), w}, "k"},
		{"executable cubin in a fat binary", []inputFile{{"x.fatbin", craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: exec90})}, k("k\x00"), w}, "k"},
		{"executable cubin in a host object", []inputFile{{"x.o", host(exec90)}, k("k\x00"), w}, "k"},
		{"empty file", []inputFile{{"x.cubin", nil}, k("k\x00"), w}, "k"},
		{"text", []inputFile{{"x.o", []byte(strings.Repeat("text ", 20))}, k("k\x00"), w}, "k"},
		{"file without suffix", []inputFile{{"x", noDevice}, k("k\x00"), w}, "k"},
		{"shared object", []inputFile{{"x.so", noDevice}, k("k\x00"), w}, "k"},
		{"executable named .o", []inputFile{{"x.o", material(noDevice).with(u16at(offType, 3))}, k("k\x00"), w}, "k"},
		{"fat binary of another architecture", []inputFile{{"x.fatbin", craft.Fatbin(craft.Entry{Kind: 2, Arch: 75, Payload: w90})}, k("k\x00"), w}, "k w"},
		{"object without device code", []inputFile{{"x.o", noDevice}, k("k\x00"), w}, "k w"},
		{"object without device code, with references", []inputFile{{"x.o", craft.HostObject(none...)}, k("k\x00"), w}, "k w"},
		{"whole program", []inputFile{{"x.o", whole()}, k("k\x00"), w}, "k w"},
		{"whole program with references", []inputFile{{"x.o", whole(none...)}, k("k\x00"), w}, "k w"},
		{"archive with a whole program", []inputFile{archive(whole(none...)), k("k\x00"), w}, "k w"},
		{"archive with an object without device code", []inputFile{archive(noDevice), k("k\x00"), w}, "k w"},
		{"archive with a cubin", []inputFile{archive(w90), k("k\x00"), w}, "k w"},
		{"archive", []inputFile{archive(host(w90, refs("k\x00", "\x00")...)), k("\x00")}, "k"},
		{"archive that is cut in a member", []inputFile{cut(host(w90, refs("k\x00", "\x00")...)), k("k\x00"), w}, "k w"},
		{"another architecture", []inputFile{{"x.o", other("w\x00")}, k("\x00"), w}, "w"},
		{"another architecture without references", []inputFile{{"x.o", other("")}, k("k\x00"), w}, "k w"},
		{"another architecture in an archive", []inputFile{archive(other("w\x00")), k("\x00"), w}, "w"},
		{"another architecture without references in an archive", []inputFile{archive(other("")), k("k\x00"), w}, "k w"},
		{"libcudadevrt", []inputFile{{"libcudadevrt.a", craft.Archive(craft.Member{Name: "m.o/", Data: host(w90, refs("w\x00", "\x00")...)})}, k("k\x00")}, "k"},
		{"libcudadevrt without references", []inputFile{{"libcudadevrt.a", craft.Archive(craft.Member{Name: "m.o/", Data: host(w90)})}, k("zzz\x00")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := situation{name: tt.name, files: tt.files}
			s.write(t, ".")
			opt, _ := s.options(t)
			var log diag.Log
			loaded, err := Load(context.Background(), opt, &log)
			if err != nil {
				t.Fatal(err)
			}
			filter := loaded.KernelFilter(0)
			var stay []string
			for _, o := range loaded.Objects {
				for _, k := range entries(t, o.Data) {
					if !o.System && filter.Keeps(k.name, k.local) {
						stay = append(stay, k.name)
					}
				}
			}
			slices.Sort(stay)
			if got := strings.Join(stay, " "); got != tt.want {
				t.Errorf("kernels %q stay, want %q", got, tt.want)
			}
			if live {
				cmd := exec.Command(toolstest.NVLink(t), append([]string{"-arch=sm_90", "-o", "linked"}, s.arguments()...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("nvlink: %v\n%s", err, out)
				}
				linked, err := os.ReadFile("linked")
				if err != nil {
					t.Fatal(err)
				}
				var kept []string
				for _, k := range entries(t, linked) {
					kept = append(kept, k.name)
				}
				slices.Sort(kept)
				if got := strings.Join(kept, " "); got != tt.want {
					t.Errorf("nvlink keeps %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// TestSystemReferences checks that of libcudadevrt only host objects of the linked part count, also one without code
// for the target (LOAD-024, LOAD-043).
func TestSystemReferences(t *testing.T) {
	object := func(arch uint32, id, names string) craft.Member {
		fatbin := craft.Fatbin(craft.Entry{Kind: 2, Arch: arch, Payload: load(t, "k.90.cubin")})
		var refs []craft.Section
		if names != "" {
			refs = []craft.Section{{Name: ".nvHRKE", Data: []byte(names)}, {Name: ".nvHRKI", Data: []byte("\x00")}}
		}
		return craft.Member{Name: id + ".o/", Data: craft.RDC(fatbin, id, refs...)}
	}
	members := []craft.Member{object(90, "_a", "a\x00"), object(75, "_b", "b\x00"), object(90, "_c", "c\x00"), object(90, "_d", "")}
	own := object(90, "_own", "own\x00")
	for parts, want := range []string{"own", "own a", "own a b", "own a b c", "all", "all"} {
		loaded, said := loadWith(t, "", inputFile{"own.o", own.Data}, inputFile{"libcudadevrt.a", craft.Archive(members...)})
		if said != "" {
			t.Fatal(said)
		}
		filter := loaded.KernelFilter(parts)
		kept := "all"
		if filter != nil {
			kept = ""
			for _, name := range strings.Fields("own a b c d") {
				if filter.Keeps(name, false) {
					kept += " " + name
				}
			}
		}
		if kept = strings.TrimSpace(kept); kept != want {
			t.Errorf("of %d objects: %q, want %q", parts, kept, want)
		}
	}
}

type kernel struct {
	name  string
	local bool
}

// entries returns the kernels of a cubin.
func entries(t *testing.T, data []byte) []kernel {
	f, err := cubin.Open("linked", data)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var kernels []kernel
	for _, y := range symbols {
		if y.IsEntry() && y.Defined() {
			kernels = append(kernels, kernel{y.Name, y.Bind == cubin.BindLocal})
		}
	}
	return kernels
}

// With -lto the compiler gets every list of every host object, except those of the system library. It gets
// none if an option selects what is kept, or if one object does not list its references (LTO-003).
func TestHostReferencesOfLTO(t *testing.T) {
	names := func(prefix string) Names {
		return Names{Kernels: []string{prefix + "k"}, Variables: []string{prefix + "v"}, Constants: []string{prefix + "c"}}
	}
	hosts := []Host{
		{Name: "a.o", References: References{External: names("ae"), Internal: names("ai"), Known: true}},
		{Name: "s.o", System: true, References: References{External: names("se"), Internal: names("si"), Known: true}},
		{Name: "b.o", References: References{External: names("be"), Internal: names("bi"), Known: true}},
	}
	of := func(opt LTO, compile lto.Options, hosts ...Host) *lto.References {
		l := &loader{opt: Options{LTO: &opt}, loaded: Loaded{Hosts: hosts}}
		return l.hostReferences(&compile)
	}
	want := &lto.References{
		ExternalKernels: []string{"aek", "bek"}, InternalKernels: []string{"aik", "bik"},
		ExternalVariables: []string{"aev", "bev"}, InternalVariables: []string{"aiv", "biv"},
		ExternalConstants: []string{"aec", "bec"}, InternalConstants: []string{"aic", "bic"},
	}
	if d := cmp.Diff(want, of(LTO{}, lto.Options{}, hosts...)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	for name, got := range map[string]*lto.References{
		"-ignore-host-info": of(LTO{IgnoreHost: true}, lto.Options{}, hosts...),
		"-kernels-used":     of(LTO{}, lto.Options{KernelsUsed: []string{"k"}}, hosts...),
		"-variables-used":   of(LTO{}, lto.Options{VariablesUsed: []string{"v"}}, hosts...),
		"an object without": of(LTO{}, lto.Options{}, append(hosts, Host{Name: "c.o"})...),
	} {
		if got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
