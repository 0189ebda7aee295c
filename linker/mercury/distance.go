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

// withoutDistances returns steps without the NOPs that separate FP64 instructions from each other and from matrix products. It
// keeps the NOPs of the program. It also keeps NOPs after a matrix product in the same block, because they may be there for the
// product.
func withoutDistances(steps []codemap.Step, ofProgram cfg.Set) []codemap.Step {
	products := cfg.NewSet(len(steps)) // the steps after products of matrices
	for i, isAfter := 0, false; i < len(steps); i++ {
		if isAfter {
			products.Add(i)
		}
		isAfter = (isAfter || steps[i].IsMatrixProduct()) && !steps[i].Leaves() && !steps[i].Branches()
	}
	kept := make([]codemap.Step, 0, len(steps))
	var apart machine.Instr // that follows, with nothing but distances between
	for i, x := range slices.Backward(steps) {
		switch {
		case x.IsDistance() && apart.KeepsDistance() && !ofProgram.Has(x.Old) && !products.Has(i):
			continue
		case x.KeepsDistance() && !products.Has(i):
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
