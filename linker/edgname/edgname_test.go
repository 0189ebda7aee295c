package edgname

import (
	"os"
	"strings"
	"testing"
)

// Each line of the file contains a mangled name, a tab, and the output of nvlink -dump-callgraph for a kernel
// of that name (REACH-024). The first lines come from a C++ file with all kinds of declarations. The other
// lines were written by hand.
func TestNames(t *testing.T) {
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		mangled, want, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if got := Demangle(mangled); got != want {
			t.Errorf("%s\n got %s\nwant %s", mangled, got, want)
		}
	}
}

// nvlink 11.8 printed these forms (KIT-770).
func TestDemangleByMembers(t *testing.T) {
	for name, want := range map[string]string{
		"$_Z1fv$_Z1gi":           "f()::g(int)",
		"$_Z1fv$_Z1gv$_Z1hv":     "f()::g()::h()",
		"_Z1fv$1":                "f()",
		"$_Z1fv$g":               "$_Z1fv$g",
		"$_Z1kv$_Z1gv$":          "$_Z1kv$_Z1gv$",
		"$_Z1kv$_ZZ1hvE1x":       "k()::h()::x",
		"$_ZTI3abc$_Z1gv":        "$_ZTI3abc$_Z1gv",
		"_ZN1a1bEPi$_ZN1c1dEPS_": "a::b(int *)::c::d(a*)",
	} {
		if got := DemangleByMembers(name); got != want {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
}

// A short name can expand to a text of exponential length.
func TestBound(t *testing.T) {
	name := "_Z1fI1A"
	for range 60 {
		name += "E1BI"
	}
	doubling := "_Z1f1AIiE" + strings.Repeat("S_IS0_S0_E", 200)
	deep := "_Z1f" + strings.Repeat("P", 100000) + "i"
	for _, name := range []string{name, doubling, deep} {
		if got := Demangle(name); len(got) > maxWork+len(name) {
			t.Errorf("%d bytes make %d", len(name), len(got))
		}
	}
}

func FuzzDemangle(f *testing.F) {
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		f.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		mangled, _, _ := strings.Cut(l, "\t")
		f.Add(mangled)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := Demangle(name); len(got) > maxWork+len(name) {
			t.Errorf("%q makes %d bytes", name, len(got))
		}
	})
}
