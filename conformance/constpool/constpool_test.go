package constpool_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/constpool"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func words(n int, value uint32) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint32(nil, value), n)
}

// section returns a section with the constants one after the other.
func section(constants ...constpool.Constant) constpool.Section {
	s := constpool.Section{Name: ".nv.constant2.k", Number: 7}
	for _, c := range constants {
		align := max(c.Align, 1)
		c.Offset = (s.Size + align - 1) / align * align
		s.Size = c.Offset + uint64(len(c.Data))
		s.Constants = append(s.Constants, c)
	}
	return s
}

// said runs f and returns the steps that f describes.
func said(f func(tell func(string))) []string {
	var lines []string
	f(func(line string) { lines = append(lines, line) })
	return lines
}

func offsets(s constpool.Section) string {
	var b strings.Builder
	for _, c := range s.Constants {
		fmt.Fprintf(&b, "%s %d, ", c.Name, c.Offset)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// Equal constants of 4 bytes, 8 bytes and some larger sizes become one constant. Unused constants are removed, and
// relocations move with the constants (LAYOUT-510).
func TestOptimize(t *testing.T) {
	s := section(
		constpool.Constant{Name: "dead", Align: 4, Data: words(1, 9), Unused: true}, // 0
		constpool.Constant{Name: "a", Align: 4, Data: words(1, 0x11)},               // 4
		constpool.Constant{Name: "b", Align: 8, Data: words(2, 0x22)},               // 8
		constpool.Constant{Name: "a2", Align: 4, Data: words(1, 0x11)},              // 16
		constpool.Constant{Name: "c", Align: 4, Data: words(3, 0x33)},               // 20
		constpool.Constant{Name: "b2", Align: 8, Data: words(2, 0x22)},              // 32
		constpool.Constant{Name: "c2", Align: 4, Data: words(3, 0x33)},              // 40
		constpool.Constant{Name: "odd", Align: 4, Data: words(7, 5)},                // 52
		constpool.Constant{Name: "odd2", Align: 4, Data: words(7, 5)},               // 80
	)
	s.Relocations = []uint64{0, 4, 36, 108, 200}
	var got constpool.Section
	var helped bool
	lines := said(func(tell func(string)) { got, helped = constpool.Optimize(s, 1<<16, tell) })
	want := []string{
		"optimize space in .nv.constant2.k (7)",
		"optimize OCG constants for .nv.constant2.k, old size = 108",
		"remove unused constant dead",
		"found duplicate value 0x11, alias a2 to a",
		"found duplicate 64bit value 0x2200000022, alias b2 to b",
		"found duplicate 12 byte value, alias c2 to c",
		"change reloc in section 7, offset from 4 to 0",
		"optimize ocg constant reloc offset from 36 to 12",
		"no symbol for reloc section 7 at offset 108?",
		"no symbol for reloc section 7 at offset 200?",
		"new OCG constant size = 84",
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if want := "a 0, b 8, a2 0, c 16, b2 8, c2 16, odd 28, odd2 56"; offsets(got) != want {
		t.Errorf("%s, want %s", offsets(got), want)
	}
	if !helped || got.Size != 84 || !cmp.Equal(got.Relocations, []uint64{0}) {
		t.Errorf("helped %v, %d bytes, relocations %v", helped, got.Size, got.Relocations)
	}
}

// If a section would not become smaller, or would still be too large, it stays unchanged (LAYOUT-510).
func TestOptimizeGivesUp(t *testing.T) {
	different := section(constpool.Constant{Name: "a", Data: words(1, 1)}, constpool.Constant{Name: "b", Data: words(1, 2)})
	equal := section(constpool.Constant{Name: "a", Data: words(2, 1)}, constpool.Constant{Name: "b", Data: words(2, 1)})
	for _, test := range []struct {
		s     constpool.Section
		limit uint64
		helps bool
	}{{different, 100, false}, {equal, 8, true}, {equal, 7, false}} {
		var got constpool.Section
		var helped bool
		lines := said(func(tell func(string)) { got, helped = constpool.Optimize(test.s, test.limit, tell) })
		gaveUp := lines[len(lines)-1] == "ocg const optimization didn't help so give up"
		if helped != test.helps || gaveUp == helped {
			t.Errorf("%s in %d bytes: helped %v, said %q", offsets(test.s), test.limit, helped, lines)
		}
		if !helped && !cmp.Equal(got, test.s) {
			t.Errorf("%s in %d bytes: changed to %s", offsets(test.s), test.limit, offsets(got))
		}
	}
}

// Merge keeps unused constants, and keeps zeros separate (LAYOUT-511).
func TestMerge(t *testing.T) {
	s := section(
		constpool.Constant{Name: "zero", Data: words(1, 0)}, constpool.Constant{Name: "zero2", Data: words(1, 0)},
		constpool.Constant{Name: "a", Data: words(1, 3), Unused: true}, constpool.Constant{Name: "a2", Data: words(1, 3)},
	)
	s.Relocations = []uint64{0, 8, 12}
	var got constpool.Section
	lines := said(func(tell func(string)) { got = constpool.Merge(s, tell) })
	if d := cmp.Diff([]string{"layout and merge section .nv.constant2.k", "found duplicate value 0x3, alias a2 to a", "optimize ocg constant reloc offset from 12 to 8"}, lines); d != "" {
		t.Error(d)
	}
	if want := "zero 0, zero2 4, a 8, a2 8"; offsets(got) != want || got.Size != 12 || !cmp.Equal(got.Relocations, []uint64{0, 8}) {
		t.Errorf("%s in %d bytes, want %s; relocations %v", offsets(got), got.Size, want, got.Relocations)
	}
	odd := section(constpool.Constant{Name: "byte", Data: []byte{1}}, constpool.Constant{Name: "b", Align: 1, Data: words(1, 3)}, constpool.Constant{Name: "c", Data: words(1, 4)})
	if want := "byte 0, b 1, c 5"; offsets(constpool.Merge(odd, nil)) != want {
		t.Errorf("%s, want %s", offsets(constpool.Merge(odd, nil)), want)
	}
}

// Every used constant keeps its bytes and its alignment. Constants that overlap have equal bytes. The section is never
// larger than it would be without aliases (LAYOUT-510).
func TestOptimizeKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var constants []constpool.Constant
		for i := range rapid.IntRange(0, 20).Draw(t, "constants") {
			constants = append(constants, constpool.Constant{
				Name: fmt.Sprint("c", i), Align: 1 << rapid.IntRange(0, 4).Draw(t, "align"),
				Data: words(rapid.IntRange(0, 5).Draw(t, "words"), rapid.Uint32Range(0, 2).Draw(t, "value")),
			})
		}
		s := section(constants...)
		got, helped := constpool.Optimize(s, 1<<16, nil)
		if helped && got.Size >= s.Size {
			t.Fatalf("%d bytes from %d", got.Size, s.Size)
		}
		data := make([]byte, got.Size)
		for _, c := range got.Constants {
			copy(data[c.Offset:], c.Data)
		}
		for i, c := range got.Constants {
			if c.Offset%c.Align != 0 || !bytes.Equal(c.Data, s.Constants[i].Data) || !bytes.Equal(data[c.Offset:][:len(c.Data)], c.Data) {
				t.Fatalf("%s at %d: other bytes or alignment", c.Name, c.Offset)
			}
		}
	})
}

// A reference to a part becomes a reference to the whole constant, with the offset of the part added (LAYOUT-512).
func TestReplaceOverlapped(t *testing.T) {
	references := []constpool.Reference{{Symbol: 3, Addend: 4}, {Symbol: 5}, {Symbol: 4}}
	parts := map[int]constpool.Overlap{3: {Full: 5, Offset: 16}, 4: {Full: 5}}
	var err error
	lines := said(func(tell func(string)) { err = constpool.ReplaceOverlapped(references, parts, tell) })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"replace overlapped constant 3 with 5, offset 16", "replace overlapped constant 4 with 5, offset 0"}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]constpool.Reference{{Symbol: 5, Addend: 20}, {Symbol: 5}, {Symbol: 5}}, references); d != "" {
		t.Error(d)
	}
	err = constpool.ReplaceOverlapped([]constpool.Reference{{Symbol: 3}}, map[int]constpool.Overlap{3: {Full: 5, Offset: -4}}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "overlapped offset < full offset?") {
		t.Errorf("a part before the whole: %v", err)
	}
}
