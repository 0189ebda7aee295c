package capsule

import (
	"encoding/binary"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// An Edit is a change to a Mercury instruction. The zero value removes the instruction.
type Edit struct {
	Count    int           // number of machine instructions that it represents
	Last     machine.Instr // the last of them
	Replaced bool          // the machine instruction has another form in the capsule
	Before   int           // number of separate machine instructions inserted before it
}

// Keeps reports whether an edit leaves m unchanged.
func (m Mercury) Keeps(e Edit) bool {
	return e.Count == m.Count && !(e.Replaced && (m.size == 0 || e.Last.Op() == sass.OpIMMA))
}

// Problem returns why an edit cannot be applied to m, with the value that is wrong. It returns "" if the edit
// can be applied.
func (m Mercury) Problem(e Edit) (msg string, value int) {
	isDistance := e.Count == 0 && m.Count == 1 && m.Record == nil
	switch {
	case !isDistance && !m.Keeps(e) && (e.Count < 1 || m.size == 0 && recordOf(e.Last) == nil):
		return "Mercury instruction of nothing but dropped code", m.First
	case e.Count > maxCount:
		return "Mercury instruction of too many machine instructions", e.Count
	}
	return "", 0
}

// Edited returns the bytes of the capsule after edits of some Mercury instructions, by number. Without edits
// it returns the capsule's own bytes. A count of one is omitted unless it has no record. An EXIT or a BSYNC
// gets a record when it becomes several instructions. A replaced instruction gets a record too.
func (c *Capsule) Edited(edits map[int]Edit) []byte {
	if len(edits) == 0 {
		return c.data
	}
	var w writer
	for i, m := range c.Instructions() {
		record := c.data[m.At : m.At+m.size]
		if e, ok := edits[i]; ok {
			for range e.Before {
				w.add(binary.LittleEndian.AppendUint16(nil, 1<<countBits|countAlone))
			}
			switch {
			case m.Keeps(e):
			case e.Count == 0:
				continue
			default:
				record = m.edited(e)
			}
		}
		w.add(record)
	}
	return w.capsule(c)
}

// edited returns the record of m after an edit, with its count. The result is empty for an unchanged machine
// instruction.
func (m Mercury) edited(e Edit) (out []byte) {
	record := m.Record
	switch {
	case m.size == 0:
		record = recordOf(e.Last)
	case record == nil:
		return binary.LittleEndian.AppendUint16(nil, uint16(e.Count)<<countBits|countAlone)
	case e.Count == 1 && (e.Last.Op() == sass.OpEXIT || e.Last.Op() == sass.OpBSYNC || e.Last.Op() == sass.OpBREAK):
		return nil
	case e.Count == 1 && (e.Last.Op() == sass.OpWARPSYNC || e.Last.Op() == sass.OpIMMA):
		return append([]byte{record[0] | 0x40}, record[1:shortRecord]...)
	}
	if e.Count > 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(e.Count)<<countBits|countBefore)
	}
	return append(out, record...)
}
