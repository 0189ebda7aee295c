package check

import (
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// UnknownStacks warns about each kernel whose stack size is unknown, in order of creation. It prints one
// warning for each call of the kernel that leads to recursion (STACK-003).
func UnknownStacks(p *reach.Propagated, log *diag.Log) {
	if p.Options.SuppressStackSizeWarning || p.Options.Relocatable {
		return
	}
	for _, e := range p.Entries {
		if e.LeftOut {
			continue
		}
		for range recursiveCalls(p, int32(e.Fn.Order)) {
			log.Report(diag.StackUnknown, e.Fn.Symbol.Name)
		}
	}
}

// LimitedStacks refuses kernels that need more stack than their limit allows, in order of creation. An unknown
// stack size exceeds any limit (STACK-004).
func LimitedStacks(p *reach.Propagated, log *diag.Log) {
	if p.Options.Relocatable {
		return
	}
	for _, e := range p.Entries {
		if stack, limit := uint32(p.Needs(e).Stack), e.Fn.MaxStack; limit != 0 && stack > limit {
			log.Report(diag.StackLimited, e.Fn.Symbol.Name, int32(stack), int32(limit))
		}
	}
}

// Uncalled warns, with -extrawarn, about each function that is kept only because its address is taken
// (REACH-022).
func Uncalled(m *program.Program, log *diag.Log) {
	if !m.Options.ExtraWarnings {
		return
	}
	for _, fn := range m.Functions {
		if fn.Uncalled {
			log.Report(diag.AddressTakenNoCalls, fn.Symbol.Name)
		}
	}
}

// recursiveCalls counts those calls of node that lead to a function with an unknown stack size. A call through
// a pointer counts once for each function that it may reach.
func recursiveCalls(p *reach.Propagated, node int32) int {
	n := 0
	for _, callee := range p.Graph.Calls[node] {
		if int(callee) >= p.Graph.Count {
			n += recursiveCalls(p, callee)
		} else if p.Stacks.Depth[callee] == reach.StackUnknown {
			n++
		}
	}
	return n
}
