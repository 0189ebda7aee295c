package emit

import (
	"encoding/binary"
	"math"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
)

// Code for sm_100 also runs on sm_103 after a fast finalizer has seen it, unless it
// holds instructions for which that has to generate code; a file without code has
// nothing to finalize (INFO-015).

// fastPaths returns the targets, as bits of CAN_FASTPATH_FINALIZE, to which the code of
// the output can go.
func fastPaths(m *program.Program) uint32 {
	targets := uint32(0)
	for _, fn := range m.Functions {
		if fn.Dead || fn.Text == nil || fn.Text.State != program.Kept {
			continue
		}
		if targets == 0 {
			targets = math.MaxUint32
		}
		if needsCodeGenerator(fn.Text.Bytes()) {
			return ^fastPath103
		}
	}
	return targets
}

const fastPath103 = uint32(8)

// needsCodeGenerator reports whether code for sm_100 holds an instruction that is another
// one on sm_103: arithmetic in double precision, and comparisons with a float that stands
// in the instruction.
func needsCodeGenerator(code []byte) bool {
	for ; len(code) >= mercury.InstructionSize; code = code[mercury.InstructionSize:] {
		switch op := binary.LittleEndian.Uint16(code) & 0xfff; {
		case op == opFSetPImm, op == opDSetP, op == opDMMA:
			return true
		case op&0xff == opDMul, op&0xff == opDAdd, op&0xff == opDFMA:
			return true
		}
	}
	return false
}

// Opcodes: those of nine bits and three for the form, and the low eight bits of those
// of which every form counts.
const (
	opFSetPImm = 0x80b
	opDSetP    = 0x22a
	opDMMA     = 0x23f
	opDMul     = 0x28
	opDAdd     = 0x29
	opDFMA     = 0x2b
)
