package reloc

import "fmt"

// A field is a run of bits in a section, counted from the least significant bit
// of the byte at the relocation's offset. Instructions are 128 bits wide, so a
// field may cross the border between two 64-bit words: ABS47_34 takes 30 bits of
// the first and 17 of the second. Bytes are the unit here, which makes the words
// invisible; only the bytes that hold bits of the field are looked at.

// A RangeError says that a relocation's place is not inside its section.
type RangeError struct {
	Type   *Type
	Offset uint64 // of the place, in bytes
	Need   uint64 // bytes from Offset on that the type touches
	Size   uint64 // of the section
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s at %#x needs %d bytes, section has %#x", e.Type, e.Offset, e.Need, e.Size)
}

// readBits gives the low 64 bits of the field of width bits at bit at of p.
func readBits(p []byte, at, width uint) uint64 {
	var v uint64
	for i := uint(0); i < width && i < 64; {
		bit := at + i
		n := min(8-bit%8, width-i, 64-i) // bits of the field in this byte
		v |= uint64(p[bit/8]>>(bit%8)&(1<<n-1)) << i
		i += n
	}
	return v
}

// writeBits replaces the field of width bits at bit at of p by the low bits of v.
func writeBits(p []byte, at, width uint, v uint64) {
	for i := uint(0); i < width; {
		bit := at + i
		n := min(8-bit%8, width-i)
		mask := byte(1<<n-1) << (bit % 8)
		p[bit/8] = p[bit/8]&^mask | byte(v>>i)<<(bit%8)&mask
		i += n
	}
}
