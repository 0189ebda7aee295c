package codemap

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// copiesOf returns a capsule with copies of pairs. Each copy is a destination register and two source
// registers.
func copiesOf(copies ...[3]uint16) []byte {
	var records [][]byte
	for _, c := range copies {
		record := append(slices.Clone(pairCopy), make([]byte, copyOperands-len(pairCopy))...)
		for _, r := range c {
			record = binary.LittleEndian.AppendUint16(record, r<<copyShift)
		}
		records = append(records, machinetest.Several(2, record))
	}
	return machinetest.Capsule(records...)
}

// A frame entry describes where the value of a register is: in another register, or lost. A move of a register
// to itself or of zero adds no rule (KIT-105). Where a copy is overwritten, the rule of its value is repeated (MERC-263).
func TestCopies(t *testing.T) {
	undefined := func(r uint64) []byte { return binary.AppendUvarint([]byte{frameUndefined}, generalFirst+r) }
	same := func(r uint64) []byte { return binary.AppendUvarint([]byte{frameSameValue}, generalFirst+r) }
	inRegister := func(r, at uint64) []byte {
		return binary.AppendUvarint(binary.AppendUvarint([]byte{frameRegister}, generalFirst+r), generalFirst+at)
	}
	for _, tt := range []struct {
		name   string
		copies [][3]uint16
		want   []frameEvent
	}{
		{"lost", [][3]uint16{{2, 0, 7}}, []frameEvent{{0, undefined(2)}, {16, undefined(3)}}},
		{"moved on", [][3]uint16{{2, 3, 0}}, []frameEvent{{0, undefined(2)}, {16, inRegister(3, 2)}}},
		{"to itself", [][3]uint16{{4, 4, 13}}, []frameEvent{{16, undefined(5)}}},
		{"of the copy before", [][3]uint16{{2, 4, 11}, {4, 5, 11}}, []frameEvent{
			{0, undefined(2)}, {16, undefined(3)}, {32, inRegister(4, 2)}, {48, inRegister(5, 4)},
		}},
		{"back again", [][3]uint16{{4, 0, 7}, {6, 0, 5}}, []frameEvent{{0, undefined(4)}, {16, undefined(5)}, {32, undefined(6)}}},
		{"twice", [][3]uint16{{2, 0, 7}, {2, 8, 9}}, []frameEvent{{0, undefined(2)}, {16, undefined(3)}, {32, same(0)}, {48, same(7)}}},
		{"of several", [][3]uint16{{4, 9, 9}, {4, 8, 8}, {6, 5, 8}}, []frameEvent{
			{0, undefined(4)}, {16, undefined(5)}, {32, inRegister(9, 5)}, {48, same(9)}, {64, undefined(6)}, {80, undefined(7)},
		}},
		{"of zero", [][3]uint16{{2, copyZero, 7}, {2, 0, copyZero}}, []frameEvent{{16, undefined(3)}, {32, undefined(2)}}},
	} {
		c, err := capsule.Open(copiesOf(tt.copies...), capsule.Place{})
		if err != nil {
			t.Fatal(err)
		}
		got := copyEvents(c, nil)
		if !slices.EqualFunc(got, tt.want, func(a, b frameEvent) bool { return a.at == b.at && slices.Equal(a.rules, b.rules) }) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		entry := appendFrame(make([]byte, frameHead), []frameEvent{{at: 64}})
		once := AddCopies(entry, nil, nil, copiesOf(tt.copies...))
		if !slices.Equal(AddCopies(once, nil, nil, copiesOf(tt.copies...)), once) {
			t.Errorf("%s: said twice", tt.name)
		}
	}
}

// The upper half of a 64-bit address in another block of the cluster is a move (MERC-263).
func TestCopiesOfAddresses(t *testing.T) {
	record := append([]byte{0x01, 0x39, 0x10, 0x0a}, make([]byte, 12)...)
	c, err := capsule.Open(machinetest.Capsule(machinetest.Several(2, record)), capsule.Place{})
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[uint64]int{4: 1, 3: 0, zero: 0} {
		got := copyEvents(c, []machine.Instr{machine.Word(sass.OpPRMT|2<<16, 0), machine.Word(moveGeneral|3<<16|from<<32, 0)})
		if len(got) != want || want == 1 && (got[0].at != machine.Size || got[0].rules[0] != frameUndefined) {
			t.Errorf("from R%d: %v", from, got)
		}
	}
}

// A warp-synchronous operation that moves its result from a uniform register to a general one loses the value
// of the general register, once. A separate move from a uniform register does not count (KIT-105).
func TestCopiesTogether(t *testing.T) {
	const together, alone = 4, 1
	code := []machine.Instr{
		machine.Word(sass.OpWARPSYNC, 0), machine.Word(sass.OpREDUX, 0), machine.Word(moveUniform|12<<16, 0), machine.Word(sass.OpENDCOLLECTIVE, 0),
		machine.Word(moveUniform|9<<16, 0),
		machine.Word(sass.OpWARPSYNC, 0), machine.Word(sass.OpREDUX, 0), machine.Word(moveUniform|12<<16, 0), machine.Word(sass.OpENDCOLLECTIVE, 0),
		machine.Word(sass.OpWARPSYNC, 0), machine.Word(sass.OpREDUX, 0), machine.Word(sass.OpMOV|0x200|13<<16, 0), machine.Word(sass.OpENDCOLLECTIVE, 0),
	}
	var records [][]byte
	for _, count := range []int{together, alone, together, together} {
		record := append([]byte{0x02, 0x32, 0x18, 0x06}, make([]byte, 28)...)
		if count > 1 {
			record = machinetest.Several(count, record)
		}
		records = append(records, record)
	}
	c, err := capsule.Open(machinetest.Capsule(records...), capsule.Place{})
	if err != nil {
		t.Fatal(err)
	}
	got := copyEvents(c, code)
	want := binary.AppendUvarint([]byte{frameUndefined}, generalFirst+12)
	if len(got) != 1 || got[0].at != 2*machine.Size || !slices.Equal(got[0].rules, want) {
		t.Errorf("%v, want %x at %#x alone", got, want, 2*machine.Size)
	}
}
