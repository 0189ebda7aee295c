package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// A kernel runs with as many registers as the hungriest function that it reaches,
// unless it was compiled for fewer (.maxnreg, -maxrregcount): then it cannot run.

// registerCounts gives the registers of each function's code, by order, and whether
// an attribute says so: else it is the header of the code (INFO-043).
func (m *merged) registerCounts() (counts []uint32, said []bool) {
	counts, said = make([]uint32, len(m.functions)), make([]bool, len(m.functions))
	for _, fn := range m.functions {
		counts[fn.order] = fn.regInfo
	}
	for _, a := range m.attributes {
		if a.owner != nil && a.Code == nvinfo.RegCount {
			counts[a.owner.order], said[a.owner.order] = a.Word(1), true
		}
	}
	return counts, said
}

// checkRegisters reports each kernel that may not use the registers of a function
// that it reaches: functions in the order of their code, kernels the last created
// first (INFO-042). With -dump-callgraph it says whose registers a kernel gets
// (REACH-023). False after an internal error.
func checkRegisters(p *propagated, log *diag.Log) bool {
	if p.options.Relocatable {
		return true
	}
	current, said := p.registerCounts() // of kernels, as they rise
	reaching := make([][]*entry, len(p.functions))
	for _, e := range slices.Backward(p.entries) {
		for _, fn := range e.reachable {
			if !fn.entry || e == p.lone {
				reaching[fn.order] = append(reaching[fn.order], e)
			}
		}
	}
	for _, s := range p.sections {
		fn := s.fn
		if s.typ != cubin.SectionProgBits || s.flags&cubin.FlagExec == 0 || s.dead() {
			continue
		}
		if !s.isCode() || current[fn.order] == 0 { // INFO-043
			log.Report(diag.InternalError, "no regcount?")
			return false
		}
		count := current[fn.order]
		for _, e := range reaching[fn.order] {
			if !said[e.fn.order] {
				said[e.fn.order] = true
				p.uncounted = append(p.uncounted, e) // INFO-044
			}
			if count <= current[e.fn.order] {
				continue
			}
			if limit, ok := e.fn.maxRegisters(); ok && count > limit {
				log.Report(diag.MaxRegCount, e.fn.symbol.name, limit, fn.symbol.name, int32(count))
			}
			if p.options.DumpCallgraph {
				log.Report(diag.RegistersPropagated, count, p.options.shownName(fn), p.options.shownName(e.fn))
			}
			p.options.trace(propagatesRegisters, count, fn.symbol.name, e.fn.symbol.name)
			current[e.fn.order] = count
		}
	}
	return true
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
