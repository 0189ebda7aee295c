package stall

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A Code is code whose stalls are recomputed in place.
type Code struct {
	Steps           []codemap.Step
	Before          []machine.Instr     // the code of the input
	Map             codemap.Map         // from Before to Steps
	Targets         map[uint64][]uint64 // of the indirect branches of Before
	Input, Target   int                 // the SM that the code was compiled for, and that of the link
	ClosesDistances bool                // the NOPs between FP64 instructions went (KIT-050)
	Later           bool                // a compiler from 13.1 on made the code
	Alone           cfg.Set             // instructions of Before; a NOP among them belongs to the program
}

// isSpace reports whether step x is only a delay: an empty addition, or a NOP that the program does not have.
func (c *Code) isSpace(x codemap.Step) bool { return x.IsSpace() && !c.isProgramNOP(x) }

// isProgramNOP reports whether step x is a NOP of the program.
func (c *Code) isProgramNOP(x codemap.Step) bool {
	return x.Op() == sass.OpNOP && !x.Inserted && c.Alone != nil && c.Alone.Has(x.Old)
}

// blocks yields the basic blocks.
func (c *Code) blocks() iter.Seq[[]codemap.Step] {
	return func(yield func([]codemap.Step) bool) {
		steps, flow := c.Steps, c.Map.Flow(c.Steps, c.Targets)
		for first := 0; first < len(steps); {
			last := len(steps) - 1
			if flow.Last != nil {
				last = flow.Last[first]
			}
			if i := slices.IndexFunc(steps[first:last], func(x codemap.Step) bool { return x.Leaves() || x.Branches() }); i >= 0 {
				last = first + i
			}
			if !yield(steps[first : last+1]) {
				return
			}
			first = last + 1
		}
	}
}

// pointers returns the steps of a block.
func pointers(block []codemap.Step) []*codemap.Step {
	steps := make([]*codemap.Step, len(block))
	for i := range block {
		steps[i] = &block[i]
	}
	return steps
}

// withoutDeadLoads returns the steps of a block without the dead loads before fences. These loads issue last and take no
// time.
func withoutDeadLoads(block []codemap.Step) (steps []*codemap.Step) {
	for i := range block {
		if !block[i].IsDeadLoad() {
			steps = append(steps, &block[i])
		}
	}
	return steps
}

// operation returns x, the instruction of a step or the one from which it was made, as an operation on an SM. known is false if its
// registers are unknown.
func (c *Code) operation(of *codemap.Step, x machine.Instr, sm int) (op machine.Operation, known bool) {
	op, known = machine.NewOperation(x, sm)
	op.OfProgram = c.isProgramNOP(*of)
	return op, known
}

// operations returns the instructions of steps, as operations on an SM.
func (c *Code) operations(steps []*codemap.Step, sm int) []machine.Operation {
	ops := make([]machine.Operation, len(steps))
	for i, x := range steps {
		ops[i], _ = c.operation(x, x.Instr, sm)
	}
	return ops
}

// operationsBefore returns, as operations, the instructions of the input from which steps were made.
func (c *Code) operationsBefore(steps []*codemap.Step) []machine.Operation {
	ops := make([]machine.Operation, len(steps))
	for i, x := range steps {
		before := x.Instr
		if !x.Inserted {
			before = c.Before[x.Old]
		}
		ops[i], _ = c.operation(x, before, c.Input)
	}
	return ops
}
