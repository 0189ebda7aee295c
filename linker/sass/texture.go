package sass

import "math/bits"

// Texture instructions of sm_100 and later have a mask of the components that they write. The first two are in a pair of
// registers, the others in a second one. The disassembler shows the first register of the second pair alone, so that the
// measured forms lack the fourth component (MERC-141.13).

const (
	maskAt, maskWidth = 72, 4 // components
	packAt, packWidth = 79, 2 // other than 0 for two components in one register
	pairAt            = 16    // first pair of registers
)

// fetches reports whether x is a texture instruction that writes each component to a register of its own.
func (x Instruction) fetches(sm int) bool {
	switch x.Op() {
	case OpTEX, OpTEXB, OpTLD, OpTLDB, OpTLD4, OpTLD4B, OpTXD, OpTXDB:
		return sm >= 100 && x.Field(packAt, packWidth) == 0
	}
	return false
}

// withOtherMasks yields x, a texture instruction, with all masks. The first is that of x. The mask does not change what x reads.
func (x Instruction) withOtherMasks(yield func(Instruction) bool) {
	const all = 1<<maskWidth - 1
	for other := range uint64(all + 1) {
		y := x
		y.High ^= other << (maskAt - 64)
		if !yield(y) {
			return
		}
	}
}

// components returns the number of registers of operand o that x, a texture instruction, writes.
func (x Instruction) components(o *Operand) uint {
	n := bits.OnesCount64(x.Field(maskAt, maskWidth))
	if o.At == pairAt {
		return uint(max(1, min(n, 2)))
	}
	return uint(max(1, n-2))
}
