package codematch

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/sass"
)

const folder = "info/pragmas-and-exits/sm_100/"

// recorded returns a file of the corpus.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	data, err := fs.ReadFile(corpus.Files, name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func linked(t *testing.T) []byte {
	t.Helper()
	result := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_100"},
		[]linker.Input{{Name: "a.cubin", Data: recorded(t, folder+"in/a.cubin")}})
	if result.Output == nil {
		t.Fatal(result.Log.Diagnostics)
	}
	return result.Output
}

// A kernel is masked if culink keeps its scoreboards and nvlink reassigns them (MERC-120). All other functions are
// equal. Masking does not change the other file.
func TestCompare(t *testing.T) {
	want, got := recorded(t, folder+"1.out/out.cubin"), linked(t)
	kept := slices.Clone(got)
	m := Compare(want, got)
	if (m.Count != Count{Equal: 2, Masked: 1}) || !slices.Equal(slices.Sorted(slices.Values(m.Sections)), []string{".text.k1"}) {
		t.Errorf("%s, masked %v", m.Count, m.Sections)
	}
	if !slices.Equal(got, kept) {
		t.Error("the file itself changed")
	}
	if again := Compare(want, m.Got); again.Count != (Count{Equal: 3}) {
		t.Errorf("masked: %s", again.Count)
	}
}

// Only the schedule is masked: if any other bit of a masked function changes, the function is different (MERC-121). The
// test checks eight instructions.
func TestOtherBitsCount(t *testing.T) {
	want, got := recorded(t, folder+"1.out/out.cubin"), linked(t)
	f, err := cubin.Open("", got)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(".text.k1")
	code := got[s.Offset : s.Offset+s.Size]
	for i := range code[:8*sass.Size] {
		for bit := range 8 {
			code[i] ^= 1 << bit
			scheduling := i%sass.Size*8 + bit
			m := Compare(want, got)
			if scheduling < 105 && m.Different != 1 {
				t.Fatalf("bit %d of byte %#x: %s", bit, i, m.Count)
			}
			code[i] ^= 1 << bit
		}
	}
}

// A function is never masked if rules describe all changes to it.
func TestClasses(t *testing.T) {
	for _, test := range []struct {
		name string
		want map[string]mercury.Changes
	}{
		{"mercury/scoreboards/sm_100/in/a.cubin", map[string]mercury.Changes{
			".text._Z6choosePi": mercury.Reallocated, ".text._Z6fencedPi": mercury.Reallocated | mercury.Fences,
			".text._Z5jumpsPi": mercury.Reallocated, ".text._Z11fencedJumpsPi": mercury.Reallocated | mercury.Fences,
			".text._Z5callsPi": mercury.Clean, ".text._Z4leafi": mercury.Clean,
		}},
		{"mercury/scoreboards/sm_100/1.out/out.cubin", map[string]mercury.Changes{
			".text._Z6choosePi": mercury.Clean, ".text._Z6fencedPi": mercury.Clean,
			".text._Z5jumpsPi": mercury.Clean, ".text._Z11fencedJumpsPi": mercury.Clean,
			".text._Z5callsPi": mercury.Clean, ".text._Z4leafi": mercury.Clean,
		}},
		{folder + "in/a.cubin", map[string]mercury.Changes{
			".text.k1": mercury.Scoreboards, ".text.k2": mercury.Clean, ".text.k3": mercury.Reallocated,
		}},
	} {
		f, err := cubin.Open(test.name, recorded(t, test.name))
		if err != nil {
			t.Fatal(err)
		}
		classes := Classes(f)
		if len(classes) != len(test.want) {
			t.Errorf("%s: %d functions, want %d", test.name, len(classes), len(test.want))
		}
		for i, class := range classes {
			if name := f.Sections[i].Name; class != test.want[name] {
				t.Errorf("%s: %s is %s, want %s", test.name, name, class, test.want[name])
			}
		}
	}
}

// Functions with the same name each have their own capsule.
func TestCompareEqualNames(t *testing.T) {
	const name = "mercury/preserved-statics/sm_100/1.out/out.cubin"
	data, err := fs.ReadFile(corpus.Files, name)
	if err != nil {
		t.Fatal(err)
	}
	if m := Compare(data, data); m.Different+m.Masked > 0 || m.Equal < 2 {
		t.Errorf("%s and itself: %s", name, m.Count)
	}
}
