package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// reductionStall is the stall of an asynchronous reduction without a DEPBAR after it.
const reductionStall = 2

// withoutReductionWaits returns the steps of code without the DEPBAR after each asynchronous reduction. It waits until the operands
// are read. The compilers from 13.1 on have none: only an instruction that overwrites the operands, or an EXIT, waits for them
// (KIT-330).
func withoutReductionWaits(code []machine.Instr, steps []codemap.Step) []codemap.Step {
	kept := make([]codemap.Step, 0, len(steps))
	for _, x := range steps {
		if x.Inserted || x.Old == 0 || !code[x.Old].AwaitsReduction(code[x.Old-1]) {
			kept = append(kept, x)
			continue
		}
		before := &kept[len(kept)-1]
		before.Instr = before.WithStall(reductionStall)
	}
	return kept
}
