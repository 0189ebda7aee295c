package reloc

import "fmt"

// An Action writes one bit field. Its Op says from what.
type Action struct {
	At    uint8 // first bit, from the relocation's offset
	Width uint8 // bits
	Op    Op
}

// An Op computes the new value of a field. The codes are those of document 003.
//
// S is the symbol's value. A is the entry's addend; an entry of a .rel section
// has none, then the old value of the field takes its place (RELOC-002).
type Op uint8

// The operations. Some codes stand for the same computation.
const (
	End      Op = 0x00 // no action
	Abs      Op = 0x01 // S + A
	Low      Op = 0x06 // low half of S + A
	High     Op = 0x07 // (S + A) >> 32; without addend (S >> 32) + field
	Align    Op = 0x08 // A + alignment of a shared symbol
	Words    Op = 0x09 // (S + A) >> 2; without addend (S >> 2) + field
	BankLow  Op = 0x0a // number of the constant bank
	BankHigh Op = 0x0b // number of the constant bank >> 4
	PCRel    Op = 0x10 // S + A as 32 bits, less the offset of the place
	Generic  Op = 0x12 // as Abs, for generic addresses
	Clear    Op = 0x13 // zero
	Clear64  Op = 0x14 // zero
	Byte0    Op = 0x16 // Byte0+n is byte n of S + A
	Byte7    Op = 0x1d
	Prog     Op = 0x2e // as Abs, for addresses relative to the program
	ProgByte Op = 0x2f // ProgByte+n is byte n of S + A
	ProgLast Op = 0x36
	ProgLow  Op = 0x37 // as Low
	ProgHigh Op = 0x38 // as High
)

// A Value is what a relocation's symbol comes to.
type Value struct {
	Symbol    uint64 // S: value of the symbol in the output
	Addend    int64  // A, if HasAddend
	HasAddend bool   // the entry stands in a .rela section
	Align     uint64 // alignment of the symbol if it is in shared memory, else 0
	Bank      uint8  // low five bits of sh_type - [cubin.SectionConstant0] of the symbol's section
}

// Apply writes the fields of t at section[offset:]. It fails with a
// [*RangeError], and leaves the section as it is, when they are not all inside.
func (t *Type) Apply(section []byte, offset uint64, v Value) error {
	place, err := t.place(section, offset)
	if err != nil {
		return err
	}
	for _, a := range t.Actions {
		if a.Op == End {
			continue
		}
		old := readBits(place, uint(a.At), uint(a.Width))
		writeBits(place, uint(a.At), uint(a.Width), a.Op.compute(old, offset, v))
	}
	return nil
}

// Addend gives what the place holds before [Type.Apply]: the addend of an entry
// without one. It is the field of the first action.
func (t *Type) Addend(section []byte, offset uint64) (int64, error) {
	place, err := t.place(section, offset)
	if err != nil {
		return 0, err
	}
	a := t.Actions[0]
	return int64(readBits(place, uint(a.At), uint(a.Width))), nil
}

// place is the bytes of section that the actions of t touch.
func (t *Type) place(section []byte, offset uint64) ([]byte, error) {
	var need uint64
	for _, a := range t.Actions {
		need = max(need, (uint64(a.At)+uint64(a.Width)+7)/8)
	}
	size := uint64(len(section))
	if offset > size || need > size-offset {
		return nil, &RangeError{t, offset, need, size}
	}
	return section[offset : offset+need], nil
}

// compute gives the new value of a field that holds old.
func (o Op) compute(old, pc uint64, v Value) uint64 {
	a := old
	if v.HasAddend {
		a = uint64(v.Addend)
	}
	sum := v.Symbol + a
	switch {
	case o == Abs, o == Generic, o == Prog, o == Low, o == ProgLow:
		return sum
	case (o == High || o == ProgHigh) && v.HasAddend:
		return sum >> 32
	case o == High, o == ProgHigh:
		return v.Symbol>>32 + old
	case o == Words && v.HasAddend:
		return sum >> 2
	case o == Words:
		return v.Symbol>>2 + old
	case o == Align:
		return v.Align + a
	case o == BankLow && v.HasAddend:
		return uint64(v.Bank)
	case o == BankLow:
		return uint64(v.Bank) + old
	case o == BankHigh && v.HasAddend:
		return uint64(v.Bank >> 4)
	case o == BankHigh:
		return uint64(v.Bank>>4) + old
	case o == PCRel:
		return uint64(int64(int32(sum))) - pc
	case Byte0 <= o && o <= Byte7:
		return sum >> (8 * (o - Byte0))
	case ProgByte <= o && o <= ProgLast:
		return sum >> (8 * (o - ProgByte))
	case o == Clear, o == Clear64:
		return 0
	}
	panic(fmt.Sprintf("reloc: no operation %#x", uint8(o)))
}
