package codemap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// An advance in any form covers the new length of its code, also at the end of an entry (MERC-116).
func TestFrameAdvances(t *testing.T) {
	steps := slices.Insert(StepsOf([]machine.Instr{machine.NOP, machine.NOP, machine.NOP, machine.NOP}), 1, Step{Instr: machine.NOP, Inserted: true, Old: 1})
	m := New(4, padded(len(steps))*machine.Size, steps)
	const was, is = 2 * machine.Size / codeAlignment, 3 * machine.Size / codeAlignment
	for name, tt := range map[string]struct{ rules, want []byte }{
		"in the opcode":  {[]byte{frameAdvance | was}, []byte{frameAdvance | is}},
		"in one byte":    {[]byte{frameAdvance1, was}, []byte{frameAdvance1, is}},
		"in two bytes":   {[]byte{frameAdvance2, was, 0}, []byte{frameAdvance2, is, 0}},
		"in four bytes":  {[]byte{frameAdvance4, was, 0, 0, 0}, []byte{frameAdvance4, is, 0, 0, 0}},
		"and a register": {[]byte{frameAdvance1, was, frameOffset | 2, 4}, []byte{frameAdvance1, is, frameOffset | 2, 4}},
	} {
		entry := append(bytes.Repeat([]byte{0xff}, frameHead), tt.rules...)
		if err := m.Frame(entry, 0, capsule.Place{}); err != nil || !bytes.Equal(entry[frameHead:], tt.want) {
			t.Errorf("%s: % x, %v; want % x", name, entry[frameHead:], err, tt.want)
		}
	}
	for name, rules := range map[string][]byte{"no byte": {frameAdvance1}, "one of two": {frameAdvance2, 0}, "three of four": {frameAdvance4, 0, 0, 0}} {
		if err := m.Frame(append(bytes.Repeat([]byte{0xff}, frameHead), rules...), 0, capsule.Place{}); err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
}

// An entry for a part of the code has the length of that part, and its advances count from the beginning of that part
// (MERC-270).
func TestFrameOfPart(t *testing.T) {
	steps := slices.Insert(StepsOf([]machine.Instr{machine.NOP, machine.NOP, machine.NOP, machine.NOP}), 1, Step{Instr: machine.NOP, Inserted: true, Old: 1})
	steps = slices.Insert(steps, 4, Step{Instr: machine.NOP, Inserted: true, Old: 3})
	m := New(4, padded(len(steps))*machine.Size, steps)
	entry := append(bytes.Repeat([]byte{0xff}, frameHead), frameAdvance1, 2*machine.Size/codeAlignment)
	binary.LittleEndian.PutUint64(entry[frameHead-8:], 2*machine.Size)
	if err := m.Frame(entry, 2*machine.Size, capsule.Place{}); err != nil {
		t.Fatal(err)
	}
	if size := binary.LittleEndian.Uint64(entry[frameHead-8:]); size != 3*machine.Size || entry[frameHead+1] != 3*machine.Size/codeAlignment {
		t.Errorf("length %#x, advance %#x; want both of three instructions", size, entry[frameHead+1])
	}
}
