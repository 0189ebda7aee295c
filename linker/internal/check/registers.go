package check

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// A kernel needs as many registers as any function that it reaches. If it was compiled for fewer (.maxnreg,
// -maxrregcount), it cannot run.

// Registers reports each kernel that may not have the registers that a function needs that it reaches.
// Functions are in the order of their code; for each, the kernel that was created last comes first
// (INFO-042). With -dump-callgraph it prints the function that determines the registers of a kernel
// (REACH-023). uncounted holds the kernels without a register count of their own, in the order in which they
// got one (INFO-044). ok is false after an internal error.
func Registers(p *reach.Propagated, log *diag.Log) (uncounted []*reach.Entry, ok bool) {
	if p.Options.Relocatable {
		return nil, true
	}
	current, said := p.RegisterCounts() // of kernels, while they propagate
	reaching := p.CallersThat(func(e *reach.Entry, fn *program.Function) bool { return e.Fn != fn || e == p.Lone })
	for _, s := range p.Sections {
		fn := s.Fn
		if s.Type != cubin.SectionProgBits || s.Flags&cubin.FlagExec == 0 || s.Size == 0 || s.Dead() {
			continue
		}
		if !s.IsCode() || current[fn.Order] == 0 { // INFO-043
			log.Report(diag.InternalError, "no regcount?")
			return nil, false
		}
		count := current[fn.Order]
		for e := range reaching.Of(fn) {
			if !said[e.Fn.Order] {
				said[e.Fn.Order] = true
				uncounted = append(uncounted, e)
			}
			if count <= current[e.Fn.Order] || p.Needs(e).Reconfigures {
				continue
			}
			if limit, ok := maxRegisters(e.Fn); ok && count > limit {
				log.Report(diag.MaxRegCount, e.Fn.Symbol.Name, limit, fn.Symbol.Name, int32(count))
			}
			if p.Options.DumpCallgraph {
				log.Report(diag.RegistersPropagated, count, p.Options.ShownName(fn.Symbol.Name), p.Options.ShownName(e.Fn.Symbol.Name))
			}
			p.Options.TraceStep(trace.PropagatesRegisters, count, fn.Symbol.Name, e.Fn.Symbol.Name)
			current[e.Fn.Order] = count
		}
	}
	return uncounted, true
}

// maxRegisters returns the maximum number of registers of a kernel, if there is a limit.
func maxRegisters(f *program.Function) (uint32, bool) {
	for a := range f.Attributes.Pushed() {
		if a.Code == nvinfo.MaxRegCount {
			return nvinfo.RegisterLimit(a)
		}
	}
	return 0, false
}
