package advice

import (
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// The target of a PTX file is that of its first .target directive.
func TestVirtualTarget(t *testing.T) {
	for text, want := range map[string]string{
		".version 9.0\n  .target\tsm_90a, debug\n.target sm_80\n": "compute_90a",
		"// .target sm_75\n.target texmode\n.target sm_\n":        "an unknown target",
		".target": "an unknown target",
	} {
		if got := virtualTarget([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// PTX defines the names that it makes visible. It does not define names that it only declares, calls or takes the
// address of (DIAG-512).
func TestDefinesInText(t *testing.T) {
	for text, want := range map[string]bool{
		".visible .func (.param .b32 r) f(.param .b32 x) { ret; }":             true,
		".weak .func f() { ret; }":                                             true,
		".visible .entry f(.param .b32 x) { ret; }":                            true,
		".visible .global .align 4 .u32 f = 1;":                                true,
		".visible .const .align 4 .b8 f[8] = {1, 2};":                          true,
		".common .global .align 4 .u32 f;":                                     true,
		".visible .func f();":                                                  false, // a prototype
		".extern .func f();":                                                   false,
		".func f() { ret; }":                                                   false, // static
		".visible .func ff() { ret; }":                                         false,
		".visible .func g() { call f; }":                                       false,
		".visible .global .align 8 .u64 g = f;":                                false,
		".visible .global .align 8 .u64 g[3] = {f, generic(f), 0};":            false,
		".extern .func f();\n.visible .const .align 8 .u64 g[2] = {0, f};\n\n": false,
	} {
		if got := definesInText([]byte(text), "f"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Definitions in named files come first, and PTX that the link can compile need only be linked (DIAG-509).
func TestElsewhereOrder(t *testing.T) {
	ptx := func(target string) []byte {
		return []byte(".version 8.0\n.target " + target + "\n.address_size 64\n.visible .func (.param .b32 r) _Z6calleei(.param .b32 x) { ret; }\n")
	}
	for _, tt := range []struct {
		named, target, want string
	}{
		{"", "sm_80", "link callee.ptx as well"},
		{"", "sm_100", "compile callee.ptx to machine code for the target of the link (-gencode arch=compute_90,code=sm_90), and link callee.ptx"},
		{"named.ptx", "sm_80", "compile named.ptx to machine code for the target of the link (-gencode arch=compute_90,code=sm_90)"},
	} {
		release, err := arch.Find("13.0")
		if err != nil {
			t.Fatal(err)
		}
		a := ForTarget(release, "sm_90")
		a.Libraries = func() []string { return []string{"callee.ptx"} }
		if tt.named != "" {
			a.Files = []string{tt.named}
		}
		a.Open = func(string) ([]byte, error) { return ptx(tt.target), nil }
		found := a.elsewhere("_Z6calleei")
		if len(found) == 0 || a.try(found[0]) != tt.want {
			t.Errorf("%v: %v", tt, found)
		}
	}
}

// Definitions that need only be linked come first, then files that the command line names, a whole program among them, then
// the other files by how easy they are to link. (DIAG-509)
func TestElsewhereOrderOfForms(t *testing.T) {
	callee := input(t, "basic/two-files/sm_90/in/callee.cubin")
	whole := slices.Clone(callee)
	const typeAt, executable = 16, 2 // e_type of the ELF header
	whole[typeAt] = executable
	files := map[string][]byte{
		"named.cubin": whole,
		"whole.cubin": whole,
		"other.cubin": input(t, "basic/two-files/sm_100/in/callee.cubin"),
		"text.ptx":    []byte(".version 8.0\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 r) _Z6calleei(.param .b32 x) { ret; }\n"),
		"good.cubin":  callee,
	}
	release, err := arch.Find("13.0")
	if err != nil {
		t.Fatal(err)
	}
	a := ForTarget(release, "sm_90")
	a.Files = []string{"named.cubin"}
	a.Libraries = func() []string { return []string{"whole.cubin", "text.ptx", "other.cubin", "good.cubin"} }
	a.Open = func(name string) ([]byte, error) { return files[name], nil }
	var got []string
	for _, d := range a.elsewhere("_Z6calleei") {
		got = append(got, d.file)
	}
	if want := []string{"good.cubin", "named.cubin", "other.cubin", "text.ptx", "whole.cubin"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Inputs of a few bytes, which have the start of some kind of file, have an answer and end no search. (DIAG-504)
func TestTinyInputs(t *testing.T) {
	const begun, cut, nameTheFile = "the beginning of an object", "cannot be read", "no object, archive, cubin, fat binary or PTX"
	for data, want := range map[string]string{"\x7fELF": begun, "\x50\xed\x55\xba": cut, "!<ar": nameTheFile, "abcd": nameTheFile, "\xed\x43\x4e\x7f": nameTheFile, "BC\xc0\xde": nameTheFile} {
		for _, name := range []string{"a.o", "a.cubin", "a.fatbin", "a.a", "a.ltoir"} {
			a := &Adviser{Files: []string{name}, Objects: []Object{{name, []byte(data)}}, Open: func(string) ([]byte, error) { return []byte(data), nil }}
			for _, d := range questions(name) {
				a.On(d)
			}
			if facts := a.On(diag.New(diag.InputPassedOver, name)); len(facts) == 0 || !strings.Contains(facts[0].Text, want) {
				t.Errorf("%q in %s: %v, want %q", data, name, facts, want)
			}
		}
	}
}

// The internal error about constants of copies has an answer, other internal errors have none. (KIT-690, DIAG-507)
func TestInternalError(t *testing.T) {
	a := &Adviser{}
	if facts := a.On(diag.New(diag.InternalError, diag.CopiedConstants)); len(facts) != 2 || !strings.Contains(facts[1].Text, withoutConstants) {
		t.Error(facts)
	}
	if facts := a.On(diag.New(diag.InternalError, "another")); facts != nil {
		t.Error(facts)
	}
}

// TestUnresolved: what ptxas does not find in a whole program has the answer of an undefined reference (DIAG-502).
func TestUnresolved(t *testing.T) {
	for said, want := range map[string]string{
		"ptxas fatal   : Unresolved extern function '__cudaCDP2LaunchDeviceV2'": linkDeviceRuntime.Text,
		"ptxas fatal   : Unresolved extern function '_Z6calleei'":               "link the file or library that defines this function, compiled with -rdc=true",
		"ptxas fatal   : Unresolved extern variable 'v'":                        "link the file or library that defines this variable, compiled with -rdc=true",
		"ptxas info    : 0 bytes gmem":                                          "",
	} {
		facts := (&Adviser{}).On(diag.New(diag.PTXASSaid, said))
		got := ""
		if len(facts) > 0 {
			got = facts[len(facts)-1].Text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}
