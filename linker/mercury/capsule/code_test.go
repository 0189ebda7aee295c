package capsule

import (
	"encoding/binary"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/reloc"
)

// shortest holds the opcodes of instructions whose Mercury form has 16 bytes, by the kind of their last operand. They were
// measured with line tables (MERC-104).
var shortest = map[uint64][]uint64{
	1: {
		0x002, 0x007, 0x008, 0x009, 0x00a, 0x00b, 0x00c, 0x00f, 0x010, 0x012, 0x013, 0x016, 0x019, 0x01a, 0x020, 0x021, 0x024, 0x026, 0x028, 0x029,
		0x02a, 0x030, 0x032, 0x036, 0x038, 0x03a, 0x03e, 0x040, 0x045, 0x046, 0x048, 0x082, 0x087, 0x08c, 0x090, 0x091, 0x092, 0x096, 0x099, 0x0a4, 0x0bd,
		0x0bf, 0x0ca, 0x100, 0x101, 0x102, 0x105, 0x106, 0x107, 0x108, 0x109, 0x110, 0x111, 0x112, 0x113, 0x1a1, 0x1c4,
	},
	4: {0x002, 0x006, 0x082, 0x086, 0x108, 0x118, 0x141, 0x142, 0x145, 0x146, 0x14d, 0x15c, 0x15d, 0x1af},
}

// usual returns the upper half of an instruction that does not use its rarer operands.
func usual(op uint64) uint64 {
	switch op {
	case 0x00b, 0x00c, 0x08c:
		return 7 << 23
	case 0x010, 0x090, 0x012, 0x092:
		return 0xff
	case 0x02a:
		return 7<<23 | 7<<20
	case 0x145:
		return 1 << 8
	}
	return 0
}

// TestShortForms checks which instructions have a Mercury form of 16 bytes (MERC-104).
func TestShortForms(t *testing.T) {
	for kind := range uint64(8) {
		as := kind
		if kind == 6 || kind == 7 {
			as = 1
		}
		short := map[uint64]bool{}
		for _, op := range shortest[as] {
			short[op] = true
		}
		for op := range uint64(0x200) {
			x := machine.Word(op|kind<<9, usual(op))
			if got := fitsShort(x); got != short[op] {
				t.Errorf("opcode %#x of kind %d: short %v", op, kind, got)
			}
		}
	}
	for _, tt := range []struct {
		name string
		x    machine.Instr
		want bool
	}{
		{"FSETP that combines", machine.Word(0x20b, 0), false},
		{"FSETP of what is not", machine.Word(0x20b, 15<<23), false},
		{"ISETP with a carry", machine.Word(0x20c, 7<<23|1<<8), false},
		{"IADD3 of three", machine.Word(0x210, 0x10), false},
		{"IADD3 that carries", machine.Word(0x210, 0xff|1<<10), false},
		{"LOP3 that carries", machine.Word(0x212, 0xff|1<<10), true},
		{"LOP3 of three", machine.Word(0x212, 0x01), false},
		{"IMAD that carries", machine.Word(0x224, 1<<10), false},
		{"DSETP to two", machine.Word(0x22a, 7<<23), false},
		{"ULEA of the upper half", machine.Word(0x291, 1<<16), false},
		{"BSSY", machine.Word(0x945, 0), false},
		{"BSSY.RECONVERGENT", machine.Word(0x945, 2<<8), true},
	} {
		if got := fitsShort(tt.x); got != tt.want {
			t.Errorf("%s: short %v", tt.name, got)
		}
	}
}

// The relocation type for the address of a shared variable follows from the opcode, which includes the kind of operands
// (MERC-231).
func TestTypesOfSharedOperands(t *testing.T) {
	want := map[uint64]uint32{0x9af: reloc.Abs20At44}
	for _, op := range []uint64{0x202, 0x2ca, 0x802, 0x803, 0x804, 0x882, 0x883, 0xc02, 0xc82} {
		want[op] = reloc.Abs32At32
	}
	for op := range uint64(0x1000) {
		typ, ok := want[op]
		if !ok {
			typ = reloc.Abs24At40
		}
		if got := sharedOperand(op); got != typ {
			t.Errorf("opcode %#x has type %d, want %d", op, got, typ)
		}
	}
}

// A Mercury offset belongs to the operand of the instruction that contains the offset.
func TestPlaceOfSharedOperand(t *testing.T) {
	c := &Code{starts: []Start{{0, 0, 16, 16}, {16, 32, 32, 32}, {48, 48, 48, 48}}, size: 64, end: 80}
	data := make([]byte, 64)
	binary.LittleEndian.PutUint64(data[32:], 0xf<<12|0x802)
	for _, tt := range []struct {
		offset, machine uint64
		typ             uint32
		ok              bool
	}{
		{0, 0, reloc.Abs24At40, true}, {15, 0, reloc.Abs24At40, true}, {16, 32, reloc.Abs32At32, true}, {47, 32, reloc.Abs32At32, true},
		{48, 48, reloc.Abs24At40, true}, {79, 48, reloc.Abs24At40, true}, {80, 0, 0, false},
	} {
		if machine, typ, ok := c.SharedOperand(data, tt.offset); machine != tt.machine || typ != tt.typ || ok != tt.ok {
			t.Errorf("offset %d: %d, type %d, %v", tt.offset, machine, typ, ok)
		}
	}
	if _, _, ok := (&Code{end: 16}).SharedOperand(data, 0); ok {
		t.Error("code without instructions has an operand")
	}
}

// An operand is looked up by its offset in the Mercury form, which must not be after the end.
func TestSharedOperand(t *testing.T) {
	nops := func(n int) (text []byte) {
		for range n {
			text = machine.NOP.Append(text)
		}
		return text
	}
	text := append(machine.Word(0x7802, 0).Append(nil), machine.Word(0x7988, 0).Append(nil)...) // MOV, STS
	text = append(text, nops(14)...)
	data := []byte{0, 0, 0, 0, 1, 0, 0, 0xc0, 3, 0, 0, 0, 3, 0, 0, 0, 0x50, 7}
	c, err := Open(data, Place{})
	if err != nil {
		t.Fatal(err)
	}
	code := c.Code(text)
	for _, want := range []struct {
		offset, machine uint64
		typ             uint32
		ok              bool
	}{
		{0x0c, 0, reloc.Abs32At32, true}, {0x14, 0x10, reloc.Abs24At40, true}, {0x2c, 0x10, reloc.Abs24At40, true}, {0x30, 0, 0, false},
	} {
		machine, typ, ok := code.SharedOperand(text, want.offset)
		if machine != want.machine || typ != want.typ || ok != want.ok {
			t.Errorf("operand at %#x: %#x, %d, %t", want.offset, machine, typ, ok)
		}
	}
}
