package linker

import (
	"slices"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// A kernel runs with as many registers as the hungriest function that it reaches,
// unless it was compiled for fewer (.maxnreg, -maxrregcount): then it cannot run.

// registerCounts gives the registers of each function's code, by order.
func (m *merged) registerCounts() []uint32 {
	counts := make([]uint32, len(m.functions))
	for _, a := range m.attributes {
		if a.owner != nil && a.Code == nvinfo.RegCount {
			counts[a.owner.order] = a.Word(1)
		}
	}
	return counts
}

// checkRegisters reports each kernel that may not use the registers of a function
// that it reaches: functions in the order of their code, kernels the last created
// first (INFO-042). With -dump-callgraph it says whose
// registers a kernel gets (REACH-023).
func checkRegisters(p *propagated, log *diag.Log) {
	if p.options.Relocatable {
		return
	}
	counts := p.registerCounts()
	current := slices.Clone(counts)
	reaching := make([][]*entry, len(p.functions))
	for _, e := range slices.Backward(p.entries) {
		for _, fn := range e.reachable {
			if !fn.entry {
				reaching[fn.order] = append(reaching[fn.order], e)
			}
		}
	}
	for _, s := range p.sections {
		fn := s.fn
		if fn == nil || fn.text != s || fn.dead {
			continue
		}
		count := counts[fn.order]
		for _, e := range reaching[fn.order] {
			if count <= current[e.fn.order] {
				continue
			}
			if limit, ok := e.fn.maxRegisters(); ok && count > limit {
				log.Report(diag.MaxRegCount, e.fn.symbol.name, limit, fn.symbol.name, count)
			}
			if p.options.DumpCallgraph {
				log.Report(diag.RegistersPropagated, count, p.options.shownName(fn), p.options.shownName(e.fn))
			}
			p.options.trace(propagatesRegisters, count, fn.symbol.name, e.fn.symbol.name)
			current[e.fn.order] = count
		}
	}
}

// maxRegisters gives the most registers that a kernel may use, if that is limited.
func (f *function) maxRegisters() (uint32, bool) {
	for _, a := range f.attributes {
		if a.Code == nvinfo.MaxRegCount {
			return nvinfo.RegisterLimit(a.Record)
		}
	}
	return 0, false
}
