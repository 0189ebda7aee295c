package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// withoutFenceWaits returns the steps of code without each DEPBAR between a counted fence and a BSYNC. The compilers up to 13.0 let it
// wait for the fence at the end of a block (MERC-255). From 13.1 on the instruction after it waits: the BSYNC, or the NOP that the
// release inserts before that (KIT-500).
func withoutFenceWaits(code []machine.Instr, steps []codemap.Step) []codemap.Step {
	kept := make([]codemap.Step, 0, len(steps))
	waits := uint64(0) // of the DEPBAR before a step
	for _, x := range steps {
		if i := x.Old; !x.Inserted && i > 0 && i+1 < len(code) && code[i].AwaitsFence(code[i-1]) && code[i+1].Op() == sass.OpBSYNC {
			waits = x.WaitMask() | 1<<x.CountsOn()
			continue
		}
		x.Instr = x.WithWaitMask(x.WaitMask() | waits)
		kept, waits = append(kept, x), 0
	}
	return kept
}
