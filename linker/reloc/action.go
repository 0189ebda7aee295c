package reloc

import "fmt"

// An Action writes one bit field. Its Op determines how the value is computed.
type Action struct {
	At    uint8 // first bit, relative to the relocation's offset
	Width uint8 // bits
	Op    Op
}

// An Op computes the new value of a field. The codes are those of document 003; some of them have the same
// effect.
//
// S is the symbol's value. A is the entry's addend. An entry of a .rel section has no addend, and the old
// value of the field is used instead (RELOC-002).
type Op uint8

// The operations.
const (
	End      Op = 0x00 // no action
	Abs      Op = 0x01 // S + A
	Low      Op = 0x06 // the low half of S + A
	High     Op = 0x07 // (S + A) >> 32; in a .rel section (S >> 32) + field
	Align    Op = 0x08 // A + alignment of a shared variable
	Words    Op = 0x09 // (S + A) >> 2; in a .rel section (S >> 2) + field
	BankLow  Op = 0x0a // number of the constant bank; in a .rel section plus field
	BankHigh Op = 0x0b // the same for number >> 4
	PCRel    Op = 0x10 // S + A as 32 bits, less the offset of the place
	Abs2     Op = 0x12 // as Abs
	Clear    Op = 0x13 // zero
	Clear64  Op = 0x14 // zero
	Byte0    Op = 0x16 // Byte0+n is (S + A) >> 8n, n from 0 to 7
	Abs3     Op = 0x2e // as Abs
	Byte8    Op = 0x2f // Byte8+n is (S + A) >> 8n, n from 0 to 7
	Low2     Op = 0x37 // as Low
	High2    Op = 0x38 // as High

	// Load marks a field that the driver writes. It is not one of the document's codes. Apply does not change
	// the field.
	Load Op = 0xff
	// Reset writes zero, like Clear. With -force-rela, the old value of a field with Reset is added to the
	// addend. The old value of a field with Clear is not.
	Reset Op = 0xfe
)

// String returns the operation as a formula, with S, A and similar names.
func (o Op) String() string {
	switch {
	case o == End:
		return "nothing"
	case o == Abs, o == Low, o == Abs2, o == Abs3, o == Low2:
		return "S+A"
	case o == High, o == High2:
		return "(S+A)>>32"
	case o == Align:
		return "A+alignment"
	case o == Words:
		return "(S+A)>>2"
	case o == BankLow:
		return "bank"
	case o == BankHigh:
		return "bank>>4"
	case o == PCRel:
		return "S+A-place"
	case o == Clear, o == Clear64, o == Reset:
		return "0"
	case Byte0 <= o && o < Byte0+8:
		return fmt.Sprintf("(S+A)>>%d", 8*(o-Byte0))
	case Byte8 <= o && o < Byte8+8:
		return fmt.Sprintf("(S+A)>>%d", 8*(o-Byte8))
	case o == Load:
		return "driver"
	}
	return fmt.Sprintf("operation %#x", uint8(o))
}

// A Value is the value of a relocation's symbol.
type Value struct {
	Symbol    uint64 // S: value of the symbol in the output; the slot in bank 0 of a texture, sampler or surface
	Addend    int64  // A, if HasAddend
	Align     uint64 // alignment of a shared variable, else 0
	HasAddend bool   // the entry is in a .rela section
	Bank      uint8  // Bank of the symbol's section
}

// Bank returns the bank number for a section's sh_type: n for .nv.constant<n>. For other types it is a
// meaningless number (RELOC-005).
func Bank(sectionType uint32) uint8 { return uint8(sectionType-0x70000064) & 31 }

// A RangeError reports a relocation that points after the end of its section.
type RangeError struct {
	Type   *Type
	Offset uint64 // of the place, in bytes
	Size   uint64 // of the section
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s: no place at %#x, section has %#x bytes", e.Type, e.Offset, e.Size)
}

// Apply writes the fields of t at section[offset:]. It returns a [*RangeError] if offset is outside the
// section.
func (t *Type) Apply(section []byte, offset uint64, v Value) error {
	if offset >= uint64(len(section)) {
		return &RangeError{t, offset, uint64(len(section))}
	}
	t.ApplyAt(section[offset:], offset, v)
	return nil
}

// ApplyAt is Apply for place, the bytes from the place of the relocation on. They extend to the end of the
// section, or as far as the [Type.Size] of the fields.
func (t *Type) ApplyAt(place []byte, offset uint64, v Value) {
	for _, a := range t.Actions {
		if a.Op == End || a.Op == Load {
			continue
		}
		old := readBits(place, uint(a.At), uint(a.Width))
		writeBits(place, uint(a.At), uint(a.Width), a.Op.compute(old, offset, v))
	}
}

// Size returns the number of bytes that the fields of t extend over, from the place on.
func (t *Type) Size() uint64 {
	bits := uint(0)
	for _, a := range t.Actions {
		bits = max(bits, uint(a.At)+uint(a.Width))
	}
	return uint64(bits+7) / 8
}

// Addend returns the addend that the bytes at its place give an entry of a .rel section. It is the value
// field, not the field of the bank. --preserve-relocs records it (RELOC-006). Addend returns a [*RangeError]
// if offset is outside the section.
func (t *Type) Addend(section []byte, offset uint64) (int64, error) {
	return t.sum(section, offset, func(o Op) bool { return o != BankLow && o != BankHigh && o != Reset })
}

// ForcedAddend returns the addend that -force-rela computes from the bytes at the place of an entry of a .rel
// section: the sum of all fields of the type (RELOC-007). It returns a [*RangeError] if offset is outside the
// section.
func (t *Type) ForcedAddend(section []byte, offset uint64) (int64, error) {
	return t.sum(section, offset, func(Op) bool { return true })
}

// sum adds up the fields that belongs selects. Fields that are cleared never count.
func (t *Type) sum(section []byte, offset uint64, belongs func(Op) bool) (int64, error) {
	if offset >= uint64(len(section)) {
		return 0, &RangeError{t, offset, uint64(len(section))}
	}
	var sum uint64
	for _, a := range t.Actions {
		if a.Op != Clear && a.Op != Clear64 && belongs(a.Op) {
			sum += readBits(section[offset:], uint(a.At), uint(a.Width))
		}
	}
	return int64(sum), nil
}

// compute returns the new value of a field with value old, at a place with offset pc.
func (o Op) compute(old, pc uint64, v Value) uint64 {
	// In a .rela section the addend is added before the shift and the old field is ignored. In a .rel section
	// the old field is added after the shift.
	before, after := uint64(v.Addend), uint64(0)
	if !v.HasAddend {
		before, after = 0, old
	}
	sum := v.Symbol + before
	switch {
	case o == Abs, o == Abs2, o == Abs3, o == Low, o == Low2:
		return sum + after
	case o == High, o == High2:
		return sum>>32 + after
	case o == Words:
		return sum>>2 + after
	case o == Align:
		return v.Align + before + after
	case o == BankLow:
		return uint64(v.Bank) + after
	case o == BankHigh:
		return uint64(v.Bank>>4) + after
	case o == PCRel:
		return uint64(int64(int32(sum+after))) - pc
	case Byte0 <= o && o < Byte0+8: // the only operation that adds before the shift
		return (sum + after) >> (8 * (o - Byte0))
	case Byte8 <= o && o < Byte8+8:
		return (sum + after) >> (8 * (o - Byte8))
	}
	return 0 // Clear
}
