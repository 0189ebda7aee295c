package emit

import (
	"encoding/binary"
	"math"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/sass"
)

// A fast finalizer can convert code for sm_100 to sm_103. It cannot if the code contains
// instructions for which it would have to generate code. A file without code has nothing to
// finalize (INFO-015).

// fastPaths returns the targets to which the output can be finalized fast, as bits of
// CAN_FASTPATH_FINALIZE.
func fastPaths(m *program.Program) uint32 {
	targets := uint32(0)
	for _, fn := range m.Functions {
		if !keepsCode(fn) {
			continue
		}
		if targets == 0 {
			targets = math.MaxUint32
		}
		if needsCodeGenerator(fn.Text.Bytes()) {
			return ^arch.FastPath103
		}
	}
	return targets
}

// keepsCode reports whether the output contains the code of a function.
func keepsCode(fn *program.Function) bool {
	return !fn.Dead && fn.Text != nil && fn.Text.State == program.Kept
}

// needsCodeGenerator reports whether code for sm_100 contains an instruction that differs on
// sm_103. These are double-precision arithmetic, comparisons with an immediate float, and integer
// or double-precision products on tensor cores.
func needsCodeGenerator(code []byte) bool {
	for ; len(code) >= sass.Size; code = code[sass.Size:] {
		switch op := binary.LittleEndian.Uint16(code) & 0xfff; op {
		case sass.OpFSETP | immediate<<9:
			if isPlainComparison(code) {
				return true
			}
		case sass.OpDSETP | wideImmediate<<9:
			if !isPlainComparison(code) {
				return true
			}
		case sass.OpDSETP | registers<<9, sass.OpDSETP | uniform<<9, sass.OpIMMA | registers<<9, sass.OpDMMA | registers<<9:
			return true
		default:
			switch op & 0x1ff { // the operation
			case sass.OpDMUL, sass.OpDADD, sass.OpDFMA:
				return true
			}
		}
	}
	return false
}

// isPlainComparison reports whether a comparison sets one predicate and does not combine it with
// another. Minimum and maximum are no plain comparisons, nor are comparisons after an && in the
// source.
func isPlainComparison(instruction []byte) bool {
	const combination, second, with = 3 << 10, 7 << 20, 7 << 23
	return binary.LittleEndian.Uint64(instruction[8:])&(combination|second|with) == second|with
}

// These are kinds of operands. The kind is in the three bits of an opcode above its operation.
const (
	registers     = 1
	wideImmediate = 2 // of 64 bits
	immediate     = 4
	uniform       = 7
)
