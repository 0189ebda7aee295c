package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// FP64 is slow on sm_103 and from sm_110 on. There the compilers up to 13.3 keep an issue distance between FP64 instructions.
// They insert NOPs that only take time, and lengthen the stall of the instruction before. Later finalizers remove this distance
// (KIT-050).

// withoutDistances returns steps without the NOPs that separate slow FP64 instructions from each other and from matrix products,
// and without such empty additions. It keeps the NOPs of the program. It also keeps what follows a matrix product in the same
// block, up to the next slow FP64 instruction, because it is there for the product (KIT-491). sm is that of the input.
func withoutDistances(steps []codemap.Step, ofProgram cfg.Set, sm int) []codemap.Step {
	const nothing, product, double = 0, 1, 2
	last := make([]byte, len(steps)) // which of these precedes a step in its block
	for i, before := 0, byte(nothing); i < len(steps); i++ {
		last[i] = before
		switch x := steps[i]; {
		case x.Leaves(), x.Branches():
			before = nothing
		case x.IsMatrixProduct():
			before = product
		case x.IsSlowDouble(sm):
			before = double
		}
	}
	kept := make([]codemap.Step, 0, len(steps))
	var apart machine.Instr // that follows, with nothing but distances between
	for i, x := range slices.Backward(steps) {
		switch {
		case (x.IsDistance() || x.IsSpace() && last[i] == double) && apart.KeepsDistance() && !ofProgram.Has(x.Old) && last[i] != product:
			continue
		case x.KeepsDistance() && last[i] != product:
			x.Approach(apart)
			apart = x.Instr
		default:
			x.Approach(apart)
			apart = machine.Instr{}
		}
		kept = append(kept, x)
	}
	slices.Reverse(kept)
	return kept
}
