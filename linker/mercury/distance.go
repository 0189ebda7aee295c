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
	products, doubles := cfg.NewSet(len(steps)), cfg.NewSet(len(steps)) // the steps after a product, and those after FP64
	afterProduct, afterDouble := false, false
	for i, x := range steps {
		if afterProduct {
			products.Add(i)
		}
		if afterDouble {
			doubles.Add(i)
		}
		ends, isProduct, isDouble := x.Leaves() || x.Branches(), x.IsMatrixProduct(), x.IsSlowDouble(sm)
		afterProduct = (afterProduct && !isDouble || isProduct) && !ends
		afterDouble = (afterDouble && !isProduct || isDouble) && !ends
	}
	kept := make([]codemap.Step, 0, len(steps))
	var apart machine.Instr // that follows, with nothing but distances between
	for i, x := range slices.Backward(steps) {
		switch {
		case (x.IsDistance() || x.IsSpace() && doubles.Has(i)) && apart.KeepsDistance() && !ofProgram.Has(x.Old) && !products.Has(i):
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
