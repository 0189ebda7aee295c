package codemap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// registerRecord returns a record of function f. Each entry is the number of the variable's name, the register,
// begin and end.
func registerRecord(entries ...[4]uint32) []byte {
	record := binary.LittleEndian.AppendUint32([]byte("f\x00"), uint32(len(entries)))
	for _, e := range entries {
		record = append(binary.LittleEndian.AppendUint32(record, 7), byte(e[0]), 0)
		for _, word := range e[1:] {
			record = binary.LittleEndian.AppendUint32(record, word)
		}
	}
	return record
}

// A truncated record of registers is an error. The places in a record of a dropped function become zero
// (MERC-116, MERC-126).
func TestRegisters(t *testing.T) {
	gone := func(string, int) Outcome { return Outcome{} }
	record := registerRecord([4]uint32{'v', 1, 0x10, 0x20}, [4]uint32{'w', 2, 0x30, 0x40})
	want := registerRecord([4]uint32{'v', 1}, [4]uint32{'w', 2})
	whole := bytes.Clone(record)
	if err := Registers(whole, nil, capsule.Place{}, RegisterPolicy{}, gone); err != nil || !bytes.Equal(whole, want) {
		t.Errorf("%q, %v", whole, err)
	}
	for n := 1; n < len(record); n++ {
		if err := Registers(bytes.Clone(record[:n]), nil, capsule.Place{}, RegisterPolicy{}, gone); err == nil {
			t.Errorf("%d bytes of %d are a record", n, len(record))
		}
	}
	if err := Registers([]byte("\x00"+"\x01\x00\x00\x00"+"\x07\x00\x00\x00\x00"+"\x01\x00\x00\x00\x10\x00\x00\x00\x20\x00\x00\x00"), nil, capsule.Place{}, RegisterPolicy{}, gone); err != nil {
		t.Errorf("names without a letter: %v", err)
	}
}

// The places of replaced code become those of the prevailing code. They are matched through the copy in the
// Mercury half, which lists them in another order. If there are several machine instructions, the last one
// counts. In 13.0 a begin is mapped to the last NOP after it (KIT-441). A place without an instruction becomes
// zero, and so do all places if the copy has another record (MERC-126). In 13.5 a begin whose end is not found
// becomes zero too (KIT-440).
func TestRegistersOfReplaced(t *testing.T) {
	var starts []capsule.Start
	for _, at := range [][4]uint64{{0, 0, 0, 0}, {0x20, 0x10, 0x10, 0x10}, {0x30, 0x20, 0x30, 0x30}, {0x40, 0x40, 0x50, 0x60}, {0x50, 0x70, 0x70, 0x70}} {
		starts = append(starts, capsule.Start{Mercury: at[0], Machine: at[1], Own: at[2], Last: at[3]})
	}
	stays := capsule.NewCode(starts, 0x80, 0x60)
	become := func(string, int) Outcome { return Outcome{Kept: true, Replaced: stays} }
	record := registerRecord([4]uint32{'v', 1, 0x10, 0x20}, [4]uint32{'v', 1, 0x40, 0x50}, [4]uint32{'w', 2, 0x10, 0x70}, [4]uint32{'x', 2, 0x10, 0x30})
	inner := registerRecord([4]uint32{'w', 2, 0x20, 0x60}, [4]uint32{'x', 2, 0x20, 0x48}, [4]uint32{'v', 1, 0x20, 0x30}, [4]uint32{'v', 1, 0x40, 0x50})
	nothing := registerRecord([4]uint32{'v', 1}, [4]uint32{'v', 1}, [4]uint32{'w', 2}, [4]uint32{'x', 2})
	for _, tt := range []struct {
		name        string
		inner, want []byte
		policy      RegisterPolicy
	}{
		{"after NOPs", inner, registerRecord([4]uint32{'v', 1, 0x10, 0x30}, [4]uint32{'v', 1, 0x60, 0x70}, [4]uint32{'w', 2, 0x10, 0}, [4]uint32{'x', 2, 0x10, 0}), RegisterPolicy{AfterPause: true}},
		{"the copy", inner, registerRecord([4]uint32{'v', 1, 0x10, 0x30}, [4]uint32{'v', 1, 0x50, 0x70}, [4]uint32{'w', 2, 0x10, 0}, [4]uint32{'x', 2, 0x10, 0}), RegisterPolicy{}},
		{"an end that is not found", inner, registerRecord([4]uint32{'v', 1, 0x10, 0x30}, [4]uint32{'v', 1, 0x50, 0x70}, [4]uint32{'w', 2}, [4]uint32{'x', 2}), RegisterPolicy{Paired: true}},
		{"another number of entries", registerRecord([4]uint32{'v', 1, 0x20, 0x30}), nothing, RegisterPolicy{}},
		{"no copy", nil, nothing, RegisterPolicy{}},
	} {
		got := bytes.Clone(record)
		if err := Registers(got, tt.inner, capsule.Place{}, tt.policy, become); err != nil || !bytes.Equal(got, tt.want) {
			t.Errorf("%s: % x, %v; want % x", tt.name, got, err, tt.want)
		}
	}
}

// A range that begins or ends at an instruction before which others were inserted does so at the instruction itself
// (KIT-995).
func TestRegistersAtInsertion(t *testing.T) {
	steps := StepsOf(make([]machine.Instr, 4))
	steps = slices.Insert(steps, 2, Step{Old: 2, Inserted: true})
	m := New(4, 8*machine.Size, steps)
	record := registerRecord([4]uint32{'v', 1, 0x10, 0x20}, [4]uint32{'w', 2, 0x20, 0x30})
	want := registerRecord([4]uint32{'v', 1, 0x10, 0x30}, [4]uint32{'w', 2, 0x30, 0x40})
	err := Registers(record, nil, capsule.Place{}, RegisterPolicy{}, func(string, int) Outcome { return Outcome{Kept: true, Map: m} })
	if err != nil || !bytes.Equal(record, want) || m.Offset(0x20) != 0x20 {
		t.Errorf("%q, want %q, %v", record, want, err)
	}
}
