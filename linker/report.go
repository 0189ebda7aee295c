package linker

import "github.com/culink/culink/linker/diag"

// damagedInput is the message for an input that cannot be read.
func damagedInput(name string, err error) diag.Diagnostic {
	return diag.New(diag.DamagedInput, name, err.Error()).Because(err)
}

// reportStacks warns of each kernel whose stack no one can know: kernels in order
// of creation, and one warning for each call of the kernel that leads into
// recursion (STACK-003).
func reportStacks(p *propagated, log *diag.Log) {
	if p.options.SuppressStackSizeWarning || p.options.Relocatable {
		return
	}
	for _, e := range p.entries {
		if e.leftOut {
			continue
		}
		for range p.recursiveCalls(int32(e.fn.order)) {
			log.Report(diag.StackUnknown, e.fn.symbol.name)
		}
	}
}

// checkStacks refuses kernels that need more stack than they may, in order of
// creation. A stack that no one can know is more than any limit (STACK-004).
func checkStacks(p *propagated, log *diag.Log) {
	if p.options.Relocatable {
		return
	}
	for _, e := range p.entries {
		if stack, limit := uint32(p.needs[e].stack), e.fn.maxStack; limit != 0 && stack > limit {
			log.Report(diag.StackLimited, e.fn.symbol.name, int32(stack), int32(limit))
		}
	}
}

// reportUncalled warns, with -extrawarn, of each function that is kept for its
// address alone (REACH-022).
func reportUncalled(m *merged, log *diag.Log) {
	if !m.options.ExtraWarnings {
		return
	}
	for _, fn := range m.functions {
		if fn.uncalled {
			log.Report(diag.AddressTakenNoCalls, fn.symbol.name)
		}
	}
}

// recursiveCalls counts the calls of node whose stack is unknown. A call through
// a pointer counts once for each function that it may reach.
func (p *propagated) recursiveCalls(node int32) int {
	n := 0
	for _, callee := range p.graph.calls[node] {
		if int(callee) >= p.graph.count {
			n += p.recursiveCalls(callee)
		} else if p.stacks.depth[callee] == stackUnknown {
			n++
		}
	}
	return n
}
