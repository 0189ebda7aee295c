package linker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
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
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/trace"
)

// A link runs its steps one after the other, in the order of nvlink's messages. A check can therefore come after a phase
// whose result it does not use.

// A link holds the results of its steps so far.
type link struct {
	options *program.Options
	inputs  []Input
	log     *diag.Log
	result  *Result

	target   arch.Target
	objects  []*object.Object
	sizes    []merge.Size   // of the objects
	tables   *object.Tables // of closed inputs
	program  *program.Program
	lost     bool // with -r, the output refers to constants that merging discarded
	reached  *reach.Reached
	needs    *reach.Propagated
	placed   *layout.Placed
	code     *finalize.Finalized
	tooLarge diag.Log // layout's messages: shown after relocate, unless one is fatal
	moved    []check.MovedVariable
	settled  *relocate.Settled
	findings emit.Findings

	copies tell.Copies // of the symbols to explain

	finalizer func(mercury.Function) (mercury.Result, error) // given by tests; nil: mercury.Finalize

	// restored is set if relocations that an earlier -r recorded have been restored in the inputs. restorable is set if
	// this link might succeed after they are restored (RELOC-405).
	restored, restorable bool
}

// A step does one thing and reports whether the link continues.
type step struct {
	do    func(*link) bool
	phase string                   // the phase that ends with this step, for --trace=time
	rule  string                   // the row of docs/rules that its messages have
	when  func(*arch.Profile) bool // reports if a release has the step here; nil for all releases
}

// steps are all steps of a link.
var steps = [...]step{
	{do: (*link).chooseTarget, rule: "OPT-010"},
	{do: (*link).load, phase: "load", rule: "LOAD-201"},
	{do: (*link).meaning, rule: "REACH-503"},
	{do: (*link).merge, phase: "merge", rule: "MERGE-001"},
	{do: (*link).reach, phase: "reach", rule: "REACH-010"},
	{do: (*link).propagate, rule: "STACK-002"},
	{do: (*link).unknownStacks, rule: "STACK-003"},
	{do: (*link).toolsPatches, rule: "OPT-059"},
	{do: (*link).uncalled, rule: "REACH-022"},
	{do: (*link).callGraph, rule: "KIT-171", when: goesEarly},
	{do: (*link).registers, rule: "KIT-171", when: goesEarly},
	{do: (*link).layout, phase: "layout", rule: "LAYOUT-010"},
	{do: (*link).explain, rule: "REACH-500"},
	{do: (*link).findMoved, rule: "RELOC-402"}, // before code is finalized and relocated
	{do: (*link).finalize, phase: "finalize", rule: "MERC-110"},
	{do: (*link).relocate, phase: "relocate", rule: "RELOC-030"},
	{do: (*link).reportSizes, rule: "LAYOUT-061"},
	{do: (*link).undefined, rule: "REACH-201"},
	{do: (*link).aliases, rule: "REACH-040"},
	{do: (*link).internalFunctions, rule: "REACH-931"},
	{do: (*link).callGraph, rule: "REACH-020", when: goesLate},
	{do: (*link).limitedStacks, rule: "STACK-004"},
	{do: (*link).requirements, rule: "INFO-055"},
	{do: (*link).registers, rule: "INFO-042", when: goesLate},
	{do: (*link).reservedShared, rule: "INFO-054"},
	{do: (*link).unwritable, rule: "RELOC-030"},
	{do: (*link).deleted, rule: "MERGE-038"},
	{do: (*link).reportMoved, rule: "RELOC-402"},
	{do: (*link).resources, rule: "INFO-040"},
	{do: (*link).succeeds, rule: "DIAG-002"},
	{do: (*link).emit, phase: "emit", rule: "EMIT-001"},
}

// goesEarly and goesLate report whether a release walks the call graph before the layout, or after it.
func goesEarly(p *arch.Profile) bool { return p.Reach.EarlyGraph }
func goesLate(p *arch.Profile) bool  { return !p.Reach.EarlyGraph }

// run runs the steps until one of them or ctx ends the link. It then makes the map and the explanations from what is known.
func (l *link) run(ctx context.Context) {
	defer l.tell()
	since := time.Now()
	for _, s := range steps {
		if s.when != nil && !s.when(l.target.Profile) {
			continue
		}
		if !s.do(l) {
			return
		}
		if l.result.ended = ctx.Err(); l.result.ended != nil {
			l.result.Output, l.result.output = nil, nil
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
	release, err := profile(l.options.Toolkit)
	if err != nil {
		l.log.Add(err.(diag.Diagnostic))
		return false
	}
	l.target, ok = release.Parse(l.options.Arch)
	switch {
	case !ok:
		l.log.Report(diag.UnknownArch, l.options.Arch)
	case l.target.Kind != arch.Real:
		l.log.Report(diag.VirtualTarget, l.options.Arch)
		return false
	}
	return ok
}

// load reads every input before any is merged, so that a bad input stops the link first. If the link ends here, its map and
// its explanations describe the inputs.
func (l *link) load() bool {
	if l.open() {
		return true
	}
	l.objects = slices.DeleteFunc(l.objects, func(o *object.Object) bool { return o == nil })
	return false
}

// open reads the inputs. The object of an input that is refused stays nil.
func (l *link) open() bool {
	l.objects = make([]*object.Object, len(l.inputs))
	damage := make([]error, len(l.inputs))
	threads := l.options.Threads
	if l.fewBytes() {
		threads = 1
		if !l.target.Mercury() { // finalizing code takes longer than starting a thread
			l.options.Threads = 1
		}
	}
	l.sizes = make([]merge.Size, len(l.inputs))
	l.tables = l.newTables()
	parallel.Do(threads, len(l.inputs), func(i int) {
		in := &l.inputs[i]
		o, err := object.Open(in.Name, in.Data, in.System, l.target.Profile, l.tables)
		if l.objects[i], damage[i] = o, err; err != nil {
			return
		}
		o.SystemBefore = in.SystemBefore
		l.sizes[i] = merge.SizeOf(o)
		if in.pages != nil && l.sizes[i].MostlyWeak() {
			in.pages.Idle() // unmapped until it is merged: most of it may be discarded
		}
		o.Close()
	})
	for i, err := range damage {
		if err != nil {
			l.log.Add(diag.Damaged(l.inputs[i].Name, err))
			return false
		}
		l.objects[i].OwnAttributes = l.target.Profile.Merge.OwnAttributes
		l.objects[i].TellsISA = l.target.Profile.Finalizer.RenewsCode
		if !l.target.Profile.Merge.KeepsCapsules {
			l.objects[i].RenewCapsules()
		}
		if err := l.inputs[i].check(l.options); err != nil {
			l.log.Add(err.(diag.Diagnostic))
			return false
		}
	}
	l.releaseInputs()
	return !l.restored || l.restore()
}

// releaseInputs allows the merge to release the memory of each input that it has merged. Contents that would be lost are
// released only if all inputs are closed. Later phases read open inputs, and the link may be repeated if an input has lost
// relocations.
func (l *link) releaseInputs() {
	closed := !slices.ContainsFunc(l.objects, func(o *object.Object) bool { return !o.Closed() })
	for i, o := range l.objects {
		if pages := l.inputs[i].pages; pages != nil && (closed || !pages.Lost()) {
			o.Unmap, o.Lost = pages.Done, pages.Lost()
		}
	}
}

// newTables returns the memory for the tables of closed inputs. It returns nil if the inputs have to stay open for a map, for
// explanations or for -v.
func (l *link) newTables() *object.Tables {
	if l.options.Map || l.options.Explain != nil || l.options.Verbose {
		return nil
	}
	return new(object.Tables)
}

// fewBytes reports whether it takes less time to read and link the inputs than to start another thread.
func (l *link) fewBytes() bool {
	const few = 64 << 10
	size := 0
	for i := range l.inputs {
		size += len(l.inputs[i].Data)
	}
	return size < few
}

// restore restores the lost relocations that are recorded in the inputs.
func (l *link) restore() bool {
	for _, o := range l.objects {
		if err := o.RestoreRelocations(); err != nil {
			l.log.Add(diag.Damaged(o.Name, err))
			return false
		}
	}
	return true
}

// meaning finds the symbols to explain. It runs before the merge, which records which definitions are discarded.
func (l *link) meaning() bool {
	l.options.Explain = tell.Meant(l.options.Explain, l.objects, l.options.Demangle)
	l.copies = tell.CopiesOf(l.options.Explain, l.objects)
	return true
}

func (l *link) merge() (ok bool) {
	if l.program, ok = merge.Objects(l.objects, l.sizes, l.options, l.target, l.log); ok {
		l.tables.Release()
		l.result.System, l.result.SystemParts = l.program.System, l.program.SystemParts
		l.program.Finalizer = l.finalizer
		l.lost = l.options.Relocatable && l.program.KeepsLostConstants()
	}
	return ok
}

func (l *link) toolsPatches() bool {
	return check.ToolsPatches(l.program, l.log)
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

// findMoved ends a link that needs the lost relocations recorded in its inputs. Link then runs again after they are
// restored.
func (l *link) findMoved() bool {
	l.moved = check.FindMoved(l.placed)
	l.restorable = len(l.moved) > 0 && !l.options.AcceptLostRelocations && !l.restored &&
		slices.ContainsFunc(l.objects, (*object.Object).NotesRelocations)
	return !l.restorable
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

func (l *link) internalFunctions() bool { return check.InternalFunctions(l.reached, l.log) }

func (l *link) callGraph() bool {
	tell.CallGraph(l.needs, l.log)
	return true
}

func (l *link) limitedStacks() bool {
	check.LimitedStacks(l.needs, l.log)
	return true
}

func (l *link) requirements() (ok bool) {
	l.findings.Cached, ok = check.Requirements(l.needs, l.log)
	return ok
}

func (l *link) registers() (ok bool) {
	l.findings.Uncounted, ok = check.Registers(l.needs, l.log)
	return ok
}

func (l *link) reservedShared() bool {
	check.ReservedShared(l.needs, l.log)
	return true
}

// unwritable ends the link because of a relocation that nvlink refuses only when it writes the output.
func (l *link) unwritable() bool {
	if l.settled.Unwritable != nil {
		l.log.Add(l.settled.Unwritable.Diagnostic())
		return false
	}
	return true
}

func (l *link) deleted() bool { return check.Deleted(l.program, l.lost, l.log) }

func (l *link) reportMoved() bool {
	check.ReportMoved(l.moved, l.options, l.log)
	return true
}

func (l *link) resources() bool {
	tell.Resources(l.placed, tell.FirstBarriers(l.settled, l.objects), l.log)
	return true
}

func (l *link) succeeds() bool { return l.log.Worst() < diag.Error }

// unwritten returns the diagnostic for an output that cannot be made: its debug information is damaged (DIAG-120).
func unwritten(err error) diag.Diagnostic {
	if wrong, ok := errors.AsType[*cubin.FormatError](err); ok && wrong.File != "" {
		return diag.Damaged(wrong.File, err)
	}
	return diag.New(diag.InternalError, "output").Because(err)
}

func (l *link) emit() bool {
	output, err := emit.File(l.settled, l.findings)
	if err != nil {
		l.log.Add(unwritten(err))
		return false
	}
	if l.options.Stream {
		l.result.output = output
		return true
	}
	if l.result.Output, err = output.Bytes(); err != nil {
		l.log.Add(diag.New(diag.InternalError, "output").Because(err))
		return false
	}
	return true
}

// tell makes the explanations and the map from what is known when the link ends, with or without an error (REACH-500,
// LAYOUT-500).
func (l *link) tell() {
	switch {
	case l.result.Explanations != nil || l.options.Explain == nil:
	case l.placed != nil: // layout ended the link
		l.result.Explanations = tell.Explain(l.placed)
	default:
		l.result.Explanations = tell.ExplainInputs(l.options.Explain, l.objects)
	}
	l.copies.Compare(l.result.Explanations)
	if l.options.Map {
		l.result.Map = l.memoryMap()
	}
	if demangle := l.options.Demangle; demangle != nil {
		for i := range l.result.Explanations {
			e := &l.result.Explanations[i]
			if source := demangle(e.Symbol); source != e.Symbol {
				e.Source = source
			}
		}
		if l.result.Map != nil {
			l.result.Map.Demangle(demangle)
		}
	}
}

// memoryMap returns the map of the placed program. If nothing is placed, it returns the map of the inputs. It returns nil
// for an unknown target.
func (l *link) memoryMap() (m *Map) {
	switch {
	case l.placed != nil:
		m = tell.Map(l.placed)
	case l.target.Name != "":
		m = tell.MapInputs(l.target.SM(), l.objects)
	default:
		return nil
	}
	if err := l.result.Err(); err != nil {
		m.Failed = err.Error()
		m.Errors = l.result.errors()
	}
	return m
}
