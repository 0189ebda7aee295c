package input

import (
	"strconv"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
)

// TestStaysAtHome checks that sm_103 refuses a cubin for sm_100 that is an input of its own, and that this is
// the only such pair (JIT-042).
func TestStaysAtHome(t *testing.T) {
	for _, c := range []struct {
		sm, target int
		want       bool
	}{{100, 103, true}, {100, 100, false}, {103, 103, false}, {100, 110, false}, {103, 100, false}, {120, 121, false}} {
		if got := staysAtHome(c.sm, c.target); got != c.want {
			t.Errorf("sm_%d for sm_%d: %t", c.sm, c.target, got)
		}
	}
}

// TestProgramHeadersOutside checks that up to 13.3 a cubin in memory is linked although its program headers lie outside it
// (JIT-115).
func TestProgramHeadersOutside(t *testing.T) {
	k := load(t, "k.90.cubin")
	if k[offShOff] == 0 {
		t.Fatal("the section table begins at a multiple of 256, which the test cannot tell from damage")
	}
	for _, number := range []uint16{1, 0xffff} { // the latter do not fit in at offset 0 either
		outside := k.with(u16at(offPhNum, number), u16at(offPhEntSize, 56), u64at(offPhOff, uint64(len(k)-55)))
		for toolkit, want := range map[string]int{"13.0": 1, "13.4.92": 0} {
			objects, err := LoadData(t.Context(), Options{Arch: "sm_90", Toolkit: toolkit}, CubinData, "k.cubin", outside, &diag.Log{})
			if len(objects) != want || (err == nil) != (want > 0) {
				t.Errorf("%d headers, %s: %d objects, want %d; %v", number, toolkit, len(objects), want, err)
			}
		}
	}
}

// TestLibraryData checks that the members before the first one that is not an ELF file are loaded. Members that
// are too small for an ELF file are skipped.
func TestLibraryData(t *testing.T) {
	member := func(name string) craft.Member {
		return craft.Member{Name: name + "/", Data: craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: load(t, "k.90.cubin")}), "_id")}
	}
	text := craft.Member{Name: "text/", Data: []byte("no ELF file\n")}
	short := craft.Member{Name: "short/", Data: []byte("\x7fELF")}
	cut := func(n int) craft.Member {
		m := member("b.o")
		m.Size = strconv.Itoa(len(m.Data))
		m.Data = m.Data[:len(m.Data)-n]
		return m
	}
	for _, tt := range []struct {
		name    string
		members []craft.Member
		want    int
	}{
		{"all", []craft.Member{member("a.o"), member("b.o")}, 2},
		{"up to a text", []craft.Member{member("a.o"), text, member("b.o")}, 1},
		{"a text first", []craft.Member{text, member("b.o")}, 0},
		{"a short one between", []craft.Member{member("a.o"), short, member("b.o")}, 2},
		{"with the last section header cut", []craft.Member{member("a.o"), cut(20)}, 2}, // JIT-114
		{"with all section headers cut", []craft.Member{member("a.o"), cut(2000)}, 1},
	} {
		objects, err := LoadData(t.Context(), Options{Arch: "sm_90"}, LibraryData, "x.a", craft.Archive(tt.members...), &diag.Log{})
		if err != nil || len(objects) != tt.want {
			t.Errorf("%s: %d objects, want %d; %v", tt.name, len(objects), tt.want, err)
		}
	}
}
