package reloc

import "encoding/binary"

// A field is a range of bits in a section. Bits are counted from the least significant bit of the byte at the
// relocation's offset. Instructions are 128 bits wide, so that a field may extend over two 64-bit words. It
// may extend over three if the offset is not a multiple of eight. ABS47_34, for example, has 30 bits in the
// first word and 17 in the second. The functions here use bytes, so that words do not matter.
//
// A place may extend beyond the end of its section (RELOC-017). Bits there read as zero, and writing them has
// no effect.

// readBits returns the low 64 bits of the field of width bits at bit offset at of p.
func readBits(p []byte, at, width uint) uint64 {
	if at == 0 && width == 32 && len(p) >= 4 { // the usual fields of tables and debug information
		return uint64(binary.LittleEndian.Uint32(p))
	}
	if at == 0 && width == 64 && len(p) >= 8 {
		return binary.LittleEndian.Uint64(p)
	}
	var v uint64
	for i := uint(0); i < width && i < 64; {
		bit := at + i
		n := min(8-bit%8, width-i, 64-i) // bits of the field in this byte
		if bit/8 < uint(len(p)) {
			v |= uint64(p[bit/8]>>(bit%8)&(1<<n-1)) << i
		}
		i += n
	}
	return v
}

// writeBits sets the field of width bits at bit offset at of p to the low bits of v.
func writeBits(p []byte, at, width uint, v uint64) {
	if at == 0 && width == 32 && len(p) >= 4 {
		binary.LittleEndian.PutUint32(p, uint32(v))
		return
	}
	if at == 0 && width == 64 && len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, v)
		return
	}
	for i := uint(0); i < width; {
		bit := at + i
		if bit/8 >= uint(len(p)) {
			return
		}
		n := min(8-bit%8, width-i)
		mask := byte(1<<n-1) << (bit % 8)
		p[bit/8] = p[bit/8]&^mask | byte(v>>i)<<(bit%8)&mask
		i += n
	}
}
