package mercury

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// lineProgramOf makes a program of version 2 with one-byte steps from -10 to 235 lines.
func lineProgramOf(instructions ...byte) []byte {
	lengths := []byte{0, 1, 1, 1, 1, 0, 0, 0, 1}
	head := append([]byte{1, 1, 0xf6, 245, byte(len(lengths) + 1)}, lengths...)
	head = append(head, 0, 0) // no folders, no files
	program := make([]byte, 4, 64)
	program = append(program, 2, 0)
	program = binary.LittleEndian.AppendUint32(program, uint32(len(head)))
	program = append(append(program, head...), instructions...)
	binary.LittleEndian.PutUint32(program, uint32(len(program)-4))
	return program
}

// A program that nvlink would write comes out as it was; so do two steps of the address
// for one row, as ptxas writes them (MERC-116).
func TestLinesThatStay(t *testing.T) {
	set := append([]byte{lineExtended, 9, lineSetAddress}, make([]byte, 8)...)
	end := []byte{lineExtended, 1, lineEndSequence}
	for name, rows := range map[string][]byte{
		"a row":                        {lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3},
		"two rows":                     {lineAdvance, 3, lineCopy, lineAdvance, 1, lineAdvancePC, 0xc0, 0, lineCopy, lineAdvancePC, 0x80, 3},
		"an address without a row":     {lineAdvance, 3, lineCopy, lineAdvancePC, 0xd0, 2, lineAdvancePC, 0xb0, 2},
		"an address before the row":    {lineAdvancePC, 0x10, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x80, 3},
		"a row, two addresses, a row":  {lineAdvance, 3, lineCopy, lineAdvancePC, 0x10, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x80, 3},
		"no row":                       {lineAdvancePC, 0x80, 3},
		"a file that stays as it is":   {4, 1, lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3},
		"an instruction on its own":    {lineExtended, 3, 0x90, 2, 13, lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3},
		"an address before and behind": {lineAdvancePC, 0x10, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x10, lineAdvancePC, 0x30},
	} {
		section := lineProgramOf(append(append(append([]byte(nil), set...), rows...), end...)...)
		got, _, err := Lines(section, LineCopy{}, Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got, section) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, section)
		}
	}
}
