package linker

import (
	"cmp"
	"context"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/check"
	"github.com/culink/culink/linker/internal/emit"
	"github.com/culink/culink/linker/internal/finalize"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/merge"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/internal/relocate"
	"github.com/culink/culink/linker/internal/tell"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/trace"
)

// A link goes through its steps one after the other. The order of the steps is the order
// of nvlink's messages, so a check may stand after a phase that it does not need.

// A link is what its steps have left so far.
type link struct {
	options *program.Options
	inputs  []Input
	log     *diag.Log
	result  *Result

	target   arch.Target
	objects  []*object.Object
	program  *program.Program
	lost     bool // -r has to refer to constants that merging lost
	reached  *reach.Reached
	needs    *reach.Propagated
	placed   *layout.Placed
	code     *finalize.Finalized
	tooLarge diag.Log // what layout says: after relocate, unless it is fatal
	moved    []check.MovedVariable
	settled  *relocate.Settled
	findings emit.Findings
}

// A step does one thing and reports whether the link goes on.
type step struct {
	do    func(*link) bool
	phase string // that ends with this step, for --trace=time
	rule  string // of what it says
}

// steps are the whole link.
var steps = [...]step{
	{do: (*link).chooseTarget, rule: "OPT-010"},
	{do: (*link).load, phase: "load", rule: "LOAD-201"},
	{do: (*link).merge, phase: "merge", rule: "MERGE-001"},
	{do: (*link).reach, phase: "reach", rule: "REACH-010"},
	{do: (*link).propagate, rule: "STACK-002"},
	{do: (*link).unknownStacks, rule: "STACK-003"},
	{do: (*link).uncalled, rule: "REACH-022"},
	{do: (*link).layout, phase: "layout", rule: "LAYOUT-010"},
	{do: (*link).explain, rule: "REACH-500"},
	{do: (*link).findMoved, rule: "RELOC-402"}, // before code is finalized and relocated
	{do: (*link).finalize, phase: "finalize", rule: "MERC-110"},
	{do: (*link).relocate, phase: "relocate", rule: "RELOC-030"},
	{do: (*link).reportSizes, rule: "LAYOUT-061"},
	{do: (*link).undefined, rule: "REACH-201"},
	{do: (*link).aliases, rule: "REACH-040"},
	{do: (*link).callGraph, rule: "REACH-020"},
	{do: (*link).limitedStacks, rule: "STACK-004"},
	{do: (*link).requirements, rule: "INFO-055"},
	{do: (*link).registers, rule: "INFO-042"},
	{do: (*link).reservedShared, rule: "INFO-054"},
	{do: (*link).unwritable, rule: "RELOC-030"},
	{do: (*link).deleted, rule: "MERGE-038"},
	{do: (*link).reportMoved, rule: "RELOC-402"},
	{do: (*link).resources, rule: "INFO-040"},
	{do: (*link).succeeds, rule: "DIAG-002"},
	{do: (*link).emit, phase: "emit", rule: "EMIT-001"},
	{do: (*link).memoryMap, rule: "LAYOUT-500"},
}

// run takes the steps until one ends the link, or ctx does.
func (l *link) run(ctx context.Context) {
	since := time.Now()
	for _, s := range steps {
		if !s.do(l) || ctx.Err() != nil {
			return
		}
		if s.phase != "" && l.options.Trace != nil {
			now := time.Now()
			l.options.TraceStep(trace.PhaseTook, s.phase, now.Sub(since).Seconds())
			since = now
		}
	}
}

func (l *link) chooseTarget() (ok bool) {
	if l.target, ok = cmp.Or(l.options.Toolkit, arch.Default).Parse(l.options.Arch); !ok {
		l.log.Report(diag.UnknownArch, l.options.Arch)
	}
	return ok
}

// load reads every input before any is merged, so that a bad one stops the link first.
func (l *link) load() bool {
	l.objects = make([]*object.Object, len(l.inputs))
	damage := make([]error, len(l.inputs))
	parallel.Do(l.options.Threads, len(l.inputs), func(i int) {
		in := &l.inputs[i]
		l.objects[i], damage[i] = object.Open(in.Name, in.Data, in.System)
	})
	for i, err := range damage {
		if err != nil {
			l.log.Add(object.DamagedInput(l.inputs[i].Name, err))
			return false
		}
	}
	return true
}

func (l *link) merge() (ok bool) {
	if l.program, ok = merge.Objects(l.objects, l.options, l.target, l.log); ok {
		l.result.System = l.program.System
		l.lost = l.options.Relocatable && l.program.KeepsLostConstants()
	}
	return ok
}

func (l *link) reach() bool {
	l.reached = reach.Functions(l.program)
	if l.options.Dot {
		l.result.Dot = tell.Dot(l.program)
	}
	return true
}

func (l *link) propagate() bool {
	l.needs = reach.Kernels(l.reached)
	return true
}

func (l *link) unknownStacks() bool {
	check.UnknownStacks(l.needs, l.log)
	return true
}

func (l *link) uncalled() bool {
	check.Uncalled(l.program, l.log)
	return true
}

func (l *link) layout() bool {
	l.tooLarge.WarningsAreErrors = l.log.WarningsAreErrors
	l.placed = layout.Memory(l.needs, &l.tooLarge)
	if l.tooLarge.Worst() == diag.Fatal {
		l.log.Append(&l.tooLarge)
		return false
	}
	return true
}

func (l *link) explain() bool {
	l.result.Explanations = tell.Explain(l.placed)
	return true
}

func (l *link) findMoved() bool {
	l.moved = check.FindMoved(l.placed)
	return true
}

func (l *link) finalize() (ok bool) {
	l.code, ok = finalize.Code(l.placed, l.log)
	return ok
}

func (l *link) relocate() (ok bool) {
	l.settled, ok = relocate.Relocations(l.code, l.log)
	return ok
}

func (l *link) reportSizes() bool {
	l.log.Append(&l.tooLarge)
	return true
}

func (l *link) undefined() bool {
	if !l.options.Relocatable {
		check.Undefined(l.program, l.log)
	}
	return true
}

func (l *link) aliases() bool { return check.Aliases(l.reached, l.log) }

func (l *link) callGraph() bool {
	tell.CallGraph(l.needs, l.log)
	return true
}

func (l *link) limitedStacks() bool {
	check.LimitedStacks(l.needs, l.log)
	return true
}

func (l *link) requirements() bool {
	l.findings.Cached = check.Requirements(l.needs, l.log)
	return true
}

func (l *link) registers() (ok bool) {
	l.findings.Uncounted, ok = check.Registers(l.needs, l.log)
	return ok
}

func (l *link) reservedShared() bool {
	check.ReservedShared(l.needs, l.log)
	return true
}

// unwritable ends the link for a relocation that nvlink finds wrong only when it writes
// the output.
func (l *link) unwritable() bool {
	if l.settled.Unwritable != nil {
		l.log.Add(l.settled.Unwritable.Diagnostic())
		return false
	}
	return true
}

func (l *link) deleted() bool { return check.Deleted(l.program, l.lost, l.log) }

func (l *link) reportMoved() bool {
	check.ReportMoved(l.moved, l.log)
	return true
}

func (l *link) resources() bool {
	tell.Resources(l.placed, l.log)
	return true
}

func (l *link) succeeds() bool { return l.log.Worst() < diag.Error }

func (l *link) emit() bool {
	output, err := emit.File(l.settled, l.findings)
	if err != nil {
		l.log.Add(diag.New(diag.InternalError, "output").Because(err))
		return false
	}
	l.result.Output = output
	return true
}

func (l *link) memoryMap() bool {
	if l.options.Map {
		l.result.Map = tell.Map(l.placed)
	}
	return true
}
