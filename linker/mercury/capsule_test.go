package mercury

import (
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// MERC-104: the Mercury form of a function has the size that the symbols of the Mercury
// half say, hints (MERC-105) and all.
func TestMercurySize(t *testing.T) {
	inputs, err := fs.Glob(corpus.Files, "mercury/*/sm_*/in/*.cubin")
	if err != nil {
		t.Fatal(err)
	}
	functions, hints := 0, 0
	for _, name := range inputs {
		f := must(cubin.Open(name, must(corpus.Files.ReadFile(name))(t)))(t)
		n, h := checkSizes(t, f)
		functions += n
		hints += h
	}
	if functions < 100 || hints < 100 {
		t.Errorf("only %d functions and %d hints in the corpus", functions, hints)
	}
}

// checkSizes compares the sizes of functions in the Mercury form with those that the symbols
// of a relocatable file say; it returns how many functions and hints there were.
func checkSizes(t testing.TB, f *cubin.File) (functions, hints int) {
	t.Helper()
	table := f.Section(".nv.merc.symtab")
	if table == nil || f.Type != cubin.TypeRelocatable {
		return 0, 0
	}
	for _, y := range must(f.SymbolsOf(table.Index))(t) {
		if y.Type != cubin.SymFunc || !y.Defined() || y.Size == 0 || y.Value != 0 {
			continue
		}
		capsule := f.Sections[y.Section]
		if f.Section(capsule.Name).Index != capsule.Index {
			continue // the second of a name: its machine code is not the one of that name
		}
		c, err := OpenCapsule(must(f.Data(capsule.Index))(t), Place{Part: capsule.Name})
		if err != nil {
			continue // of a damaged file
		}
		functions++
		for _, m := range c.Instructions() {
			if m.Count == 0 {
				hints++
			}
		}
		text := bytesOf(t, f, strings.TrimPrefix(capsule.Name, ".nv.capmerc"))
		if got := c.Code(text).end; got != y.Size {
			t.Errorf("%s: %s has %#x bytes in the Mercury form, its symbol says %#x", f.Name, y.Name, got, y.Size)
		}
	}
	return functions, hints
}

// capsuleOf is a capsule of instructions that all have a record.
func capsuleOf(records ...[]byte) []byte {
	b := make([]byte, capsuleHeader, 64)
	binary.LittleEndian.PutUint32(b[4:], capsuleForm)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(records)))
	b = append(b, make([]byte, (len(records)+31)/32*4)...)
	return append(b, slices.Concat(records...)...)
}

// MERC-105: a hint stands for no machine instruction, and has no count.
func TestHints(t *testing.T) {
	aHint := append([]byte{hint, 2}, make([]byte, 14)...)
	record := append([]byte{1}, make([]byte, 15)...)
	end := []byte{countAlone, 7}
	for _, c := range []struct {
		name    string
		records [][]byte
		machine int // 0: damaged
		want    string
	}{
		{"first, between and last", [][]byte{aHint, record, aHint, aHint, end, aHint}, 15, ""},
		{"long", [][]byte{append([]byte{longHint}, make([]byte, 31)...), record, end}, 15, ""},
		{"none", [][]byte{record, end}, 15, ""},
		{"with a count", [][]byte{record, append([]byte{countBefore, 1}, aHint...), end}, 0, "count before a record that stands for no machine instruction at 0x20: 1"},
		{"cut short", [][]byte{record, end, aHint[:15]}, 0, "capsule ends inside a record"},
		{"48 bytes", [][]byte{record, append([]byte{3}, make([]byte, 47)...), end}, 16, ""}, // MERC-101
		{"48 bytes cut short", [][]byte{record, end, append([]byte{3}, make([]byte, 46)...)}, 0, "capsule ends inside a record"},
		{"unknown neighbour", [][]byte{record, append([]byte{0x33}, make([]byte, 31)...), end}, 0, "unknown kind of record at 0x20: 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			capsule, err := OpenCapsule(capsuleOf(c.records...), Place{})
			switch {
			case c.machine == 0:
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
			case err != nil:
				t.Fatal(err)
			case capsule.Machine() != c.machine:
				t.Errorf("%d machine instructions, want %d", capsule.Machine(), c.machine)
			}
		})
	}
}

// MERC-102: a record of a machine instruction that goes stands for nothing.
func TestRecordOfDroppedCode(t *testing.T) {
	record := append([]byte{1}, make([]byte, 15)...)
	capsule, err := OpenCapsule(capsuleOf(record, record), Place{})
	if err != nil {
		t.Fatal(err)
	}
	steps := []step{{Instr: machinetest.End, old: 1}}
	_, err = newMap(2, padded(2)*InstructionSize, steps).capsule(capsule, steps, Place{})
	if err == nil || !strings.Contains(err.Error(), "nothing but dropped code") {
		t.Errorf("error %v", err)
	}
}
