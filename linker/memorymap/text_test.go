package memorymap_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker/memorymap"
)

// small returns a map with each kind of line.
func small() *memorymap.Map {
	stack := uint32(48)
	return &memorymap.Map{
		Target: "sm_90",
		Spaces: []memorymap.Space{
			{Name: memorymap.Code, Size: 0x180, Sections: []memorymap.Section{{Name: ".text.k", Size: 0x180, Align: 128, Parts: []memorymap.Part{{Size: 0x180, Input: "a.cubin"}}}}},
			{Name: memorymap.Global, Size: 24, Sections: []memorymap.Section{{
				Name: ".nv.global", Size: 24, Align: 8,
				Parts: []memorymap.Part{{Size: 8, Input: "a.cubin"}, {Offset: 8, Size: 0, Input: "b.cubin", What: "_Z1e", Source: "e"}, {Offset: 16, Size: 4, Input: memorymap.Linker}},
				Symbols: []memorymap.Symbol{
					{Size: 4, Name: "_Z1a", Source: "a"}, {Offset: 4, Size: 4, Name: "b"}, {Offset: 8, Name: "_Z1e"}, {Offset: 16, Size: 4, Name: "c"}, {Offset: 20, Size: 4, Name: "behind\n"},
				},
			}}},
		},
		Inputs:    []memorymap.Input{{Name: "a.cubin", Bytes: []uint64{0x180, 8}}, {Name: memorymap.Linker, Bytes: []uint64{0, 16}}},
		Functions: []memorymap.Function{{Name: "_Z1k", Source: "k", Code: 384, Kernel: true}},
		Kernels:   []memorymap.Kernel{{Registers: 20, Shared: 64, Stack: &stack, Constants: []memorymap.Bank{{Section: ".nv.constant0", Size: 352}}}},
	}
}

// The text of a map has each section with its parts, each part with its symbols, and at the end a table of the
// inputs (LAYOUT-500).
func TestText(t *testing.T) {
	m := small()
	m.Unplaced = true
	var b strings.Builder
	if err := m.WriteText(&b, true); err != nil {
		t.Fatal(err)
	}
	if want := `memory map of sm_90, in bytes
nothing had a place yet: the sizes are those of the inputs

code: 0x180
  .text.k: 0x180, alignment 128
      0x0  0x180  a.cubin

global: 0x18
  .nv.global: 0x18, alignment 8
       0x0  0x8  a.cubin
       0x0  0x4    a
       0x4  0x4    b
       0x8  0x0  b.cubin  e
       0x8  0x0    _Z1e
      0x10  0x4  (linker)
      0x10  0x4    c
      0x14  0x4    behind\n

by input:
   code  global  input
  0x180     0x8  a.cubin
    0x0    0x10  (linker)
`; b.String() != want {
		t.Errorf("%s\nwant\n%s", &b, want)
	}
}

// All numbers of a map are compared. Those of one group are sorted by the size of the change, then by name.
func TestGrowth(t *testing.T) {
	before, now := small(), small()
	now.Spaces[1].Size, now.Inputs[0].Bytes[1] = 32, 16
	stack := uint32(40)
	k := &now.Kernels[0]
	k.Registers, k.Shared, k.Stack, k.Constants = 22, 62, &stack, []memorymap.Bank{{Section: ".nv.constant0", Size: 353}, {Section: ".nv.constant2", Size: 2}}
	now.Functions[0].Code = 256
	symbols := now.Spaces[1].Sections[0].Symbols
	symbols[0].Size, symbols[1].Size, symbols[4].Name = 8, 8, "new"
	var b strings.Builder
	if err := memorymap.WriteGrowth(&b, memorymap.Compare(before, now)); err != nil {
		t.Fatal(err)
	}
	if want := `   24   32    +8  space global: bytes
    8   16    +8  input a.cubin: global
   48   40    -8  kernel k: stack
    0    2    +2  kernel k: .nv.constant2
   20   22    +2  kernel k: registers
   64   62    -2  kernel k: shared
  352  353    +1  kernel k: .nv.constant0
  384  256  -128  function k: code
    4    8    +4  variable a: global
    4    8    +4  variable b: global
    4    0    -4  variable behind\n: global
    0    4    +4  variable new: global
`; b.String() != want {
		t.Errorf("\n%s\nwant\n%s", &b, want)
	}
}

// A reader refuses indices that are out of range.
func TestReadIndices(t *testing.T) {
	const start = `{"format":"` + memorymap.Format + `","functions":[{"name":"f"}],`
	for text, ok := range map[string]bool{
		`"calls":[[0,0]],"kernels":[{"function":0}]}`: true,
		`"calls":[[-1,0]]}`:                           false,
		`"calls":[[0,-1]]}`:                           false,
		`"calls":[[1,0]]}`:                            false,
		`"calls":[[0,1]]}`:                            false,
		`"kernels":[{"function":-1}]}`:                false,
		`"kernels":[{"function":1}]}`:                 false,
	} {
		if _, err := memorymap.Read("m.json", []byte(start+text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Each section is printed separately, and each symbol with the part that contains it.
func TestTextOfSections(t *testing.T) {
	section := func(name string, parts []memorymap.Part, symbols ...memorymap.Symbol) memorymap.Section {
		return memorymap.Section{Name: name, Size: 16, Align: 4, Parts: parts, Symbols: symbols}
	}
	m := &memorymap.Map{Target: "sm_90", Spaces: []memorymap.Space{{Name: memorymap.Global, Size: 32, Sections: []memorymap.Section{
		section("a", []memorymap.Part{{Size: 8, Input: "x"}, {Offset: 8, Size: 8, Input: "y"}}, memorymap.Symbol{Size: 4, Name: "of x"}),
		section("b", []memorymap.Part{{Size: 0, Input: "x"}, {Offset: 1, Size: 8, Input: "y"}}, memorymap.Symbol{Size: 0, Name: "of x"}, memorymap.Symbol{Offset: 1, Size: 1, Name: "of y"}),
	}}}}
	var b strings.Builder
	if err := m.WriteText(&b, false); err != nil {
		t.Fatal(err)
	}
	if want := `memory map of sm_90, in bytes

global: 0x20
  a: 0x10, alignment 4
      0x0  0x8  x
      0x0  0x4    of x
      0x8  0x8  y
  b: 0x10, alignment 4
      0x0  0x0  x
      0x0  0x0    of x
      0x1  0x8  y
      0x1  0x1    of y

by input:
  global  input
`; b.String() != want {
		t.Errorf("%s\nwant\n%s", &b, want)
	}
}

// Variables are compared only in constant and global memory, and the bytes of an input only in spaces that the
// map has.
func TestGrowthOfVariables(t *testing.T) {
	of := func(size uint64) *memorymap.Map {
		m := &memorymap.Map{Inputs: []memorymap.Input{{Name: "a", Bytes: []uint64{1, 1, 1, 1, 1, 1, size}}}}
		for _, name := range memorymap.Spaces() {
			m.Spaces = append(m.Spaces, memorymap.Space{Name: name, Sections: []memorymap.Section{{Symbols: []memorymap.Symbol{{Size: size, Name: "v"}}}}})
		}
		return m
	}
	var b strings.Builder
	for _, g := range memorymap.Compare(of(4), of(8)) {
		b.WriteString(g.Group + " " + g.Name + " " + g.What + "\n")
	}
	if want := "variable v constant\nvariable v global\n"; b.String() != want {
		t.Errorf("%s, want %s", &b, want)
	}
}

// Some names stand for a static variable of a function. Others only look like such names.
func TestStaticNames(t *testing.T) {
	for name, want := range map[string]string{
		"$___ZZ1fiE1v__12": "_ZZ1fiE1v",
		"$___ZZ1fiE1v__":   "$___ZZ1fiE1v__",
		"$___ZZ1fiE1v_12":  "$___ZZ1fiE1v_12",
		"$___ZZ1fiE1v12":   "$___ZZ1fiE1v12",
		"$__plain__12":     "$__plain__12",
		"_Z1v__12":         "_Z1v__12",
	} {
		m := memorymap.Map{Functions: []memorymap.Function{{Name: name}}}
		m.Demangle(func(name string) string { return "the source's " + name })
		if got := m.Functions[0].Source; got != "the source's "+want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// As JSON, a map has a line for each value, and names are not escaped.
func TestJSONText(t *testing.T) {
	var b strings.Builder
	if err := (&memorymap.Map{Format: memorymap.Format, Functions: []memorymap.Function{{Name: "f", Source: "f<int>(int&)"}}}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "{\n \"format\": \"culink memory map 1\",\n") || !strings.Contains(got, `"source": "f<int>(int&)",`) {
		t.Error(got)
	}
	for text, want := range map[string]bool{
		b.String():                    true,
		"":                            false,
		"{}":                          false,
		"memory: " + memorymap.Format: false,
		" \n\r\t{" + memorymap.Format: true,
		"{" + strings.Repeat(" ", 80) + memorymap.Format: true,  // 100 bytes
		"{" + strings.Repeat(" ", 81) + memorymap.Format: false, // more bytes than a reader looks at
	} {
		if memorymap.Is([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
