package finalize

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/trace"
)

// A Finalized program has the machine code of the output.
type Finalized struct {
	*layout.Placed
	places map[*program.Function]codemap.Map
	inner  map[*program.Function]*capsule.Code // capsules opened so far

	opening sync.Mutex
}

// Places returns the map from the input code of f to its finalized code.
func (l *Finalized) Places(f *program.Function) codemap.Map { return l.places[f] }

// Code makes the machine code of a file with a Mercury half from that of the inputs (MERC-110 to MERC-123). A
// relocatable link makes only the changes that links for debuggers need. A file without a Mercury half keeps
// the inputs' code, and is finalized only for another target (MERC-306).
//
// Before the call, every symbol has its value, and no relocation is settled. After the call, code that the
// finalizer changes is replaced by the result, and everything that refers to places in that code is updated.
// All other code is that of the input. The time is linear in code.
func Code(placed *layout.Placed, log *diag.Log) (*Finalized, bool) {
	l := &Finalized{Placed: placed, places: map[*program.Function]codemap.Map{}, inner: map[*program.Function]*capsule.Code{}}
	if !l.Target.Mercury() {
		return l, true
	}
	for _, move := range l.SlotMoves {
		moveSlots(move)
	}
	for _, fn := range l.Functions {
		l.moveFirstSlot(fn)
	}
	made := l.finalizeAll(l.waitsAtExit())
	for i, fn := range l.Functions {
		m := &made[i]
		if m.err != nil {
			log.Add(diag.Damaged(fn.Symbol.DefinedIn, m.err))
			return nil, false
		}
		if l.reopens(fn) {
			log.Report(diag.ReopenedWholeProgram, fn.Symbol.Name, fn.Symbol.DefinedIn)
			return nil, false
		}
		if m.finalized {
			l.trace(fn, m)
			switch {
			case m.result.Map.Moved():
				l.move(fn, m.result)
			case m.changes&(mercury.Reallocated|mercury.Waits|mercury.Replaced) != 0:
				fn.Text.SetBytes(m.result.Text)
				if !isSame(m.result.Capsule, fn.Text.Mercury.Bytes()) { // else it is the input's own, which is read-only
					fn.Text.Mercury.SetBytes(m.result.Capsule)
				}
			}
		}
		if !m.finalized && m.changes&mercury.Waits != 0 {
			fn.Text.SetBytes(m.result.Text)
		}
		if m.changes&mercury.Target != 0 {
			log.Report(diag.NeedsCodeGenerator, fn.Symbol.Name, fn.Symbol.DefinedIn, fn.MadeFor, l.Options.Arch)
			return nil, false
		}
	}
	l.moveParts()
	l.moveTables()
	for _, s := range l.Sections {
		fillTables(s)
	}
	return l, true
}

// trace traces what the finalizer's passes changed in fn, and why they kept scoreboards.
func (l *Finalized) trace(fn *program.Function, m *madeCode) {
	if l.Options.Trace == nil {
		return
	}
	l.Options.TraceStep(trace.FinalizedFunction, fn.Symbol.Name, m.changes)
	for _, p := range m.result.Passes {
		l.Options.TraceStep(trace.FinalizerPass, p)
	}
	if m.result.Kept != nil {
		l.Options.TraceStep(trace.KeptSchedule, m.result.Kept)
	}
}

// A madeCode is the finalizer's result for a function.
type madeCode struct {
	finalized bool
	result    mercury.Result
	changes   mercury.Changes // without the finalizer: the changes for another target, and the obstacles to running the code there
	err       error
}

// finalizeAll returns the finalized code of all functions, in the order of the functions.
func (l *Finalized) finalizeAll(waits bool) []madeCode {
	made := make([]madeCode, len(l.Functions))
	functions := make([]*mercury.Function, len(made))
	hashes := make([]uint64, len(made))
	seed := maphash.MakeSeed()
	parallel.Do(l.Options.Threads, len(made), func(i int) {
		fn, m := l.Functions[i], &made[i]
		if fn.Dead || fn.Text == nil {
			return
		}
		if fn.MadeFor != l.Target.Number {
			m.result.Text, m.changes = mercury.Retarget(fn.Text.Bytes(), hazard.Targets(records(fn)), fn.MadeFor, l.Target.Number)
		}
		if !l.HasMercury() || fn.Text.Mercury == nil {
			return
		}
		f := l.function(fn, waits)
		functions[i], hashes[i] = f, hashOf(seed, f)
	})
	if run := l.Finalizer; run != nil {
		for i, f := range functions {
			made[i].finalize(f, run)
		}
		return made
	}
	original := originals(functions, hashes)
	parallel.Do(l.Options.Threads, len(made), func(i int) {
		if original[i] == i {
			made[i].finalize(functions[i], mercury.Finalize)
		}
	})
	for i, f := range functions {
		if first := &made[original[i]]; original[i] != i && first.err == nil {
			made[i].take(forCopy(f, functions[original[i]], first.result))
		} else if original[i] != i {
			made[i].finalize(f, mercury.Finalize) // an error contains its place
		}
	}
	return made
}

// finalize runs the finalizer on f, if f needs new code.
func (m *madeCode) finalize(f *mercury.Function, run func(mercury.Function) (mercury.Result, error)) {
	if f == nil {
		return
	}
	result, err := run(*f)
	m.take(result)
	m.err = err
}

func (m *madeCode) take(result mercury.Result) {
	m.finalized, m.result, m.changes = true, result, result.Changes
}

// waitsAtExit reports whether code waits for memory errors at exits. It does in a link with -g, or with code
// that was compiled with -G (MERC-123).
func (l *Finalized) waitsAtExit() bool {
	return l.Options.DebugSymbols() || slices.ContainsFunc(l.Attributes, func(a *program.Attribute) bool { return a.Code == nvinfo.GenErrbarAtExit })
}

// function returns the finalizer's input for fn.
func (l *Finalized) function(fn *program.Function, waitsAtExit bool) *mercury.Function {
	f := mercury.FunctionOf(records(fn), l.Target.Profile.Finalizer, fn.MadeFor, l.Target.Number)
	f.Text, f.Capsule, f.Entry, f.Whole = fn.Text.Bytes(), fn.Text.Mercury.Bytes(), fn.Entry, fn.Extensible
	f.Partial, f.Debug, f.WaitsAtExit = l.Options.Relocatable, l.Options.DebugSymbols(), waitsAtExit
	f.TextAt = capsule.Place{File: fn.Symbol.DefinedIn, Part: "section " + fn.Text.Name}
	f.CapsuleAt = capsule.Place{File: fn.Symbol.DefinedIn, Part: "section " + fn.Text.Mercury.Name}
	return &f
}

// records returns the attributes of f.
func records(f *program.Function) (list []nvinfo.Record) {
	list = make([]nvinfo.Record, 0, f.Attributes.Len())
	for r := range f.Attributes.Pushed() {
		list = append(list, r)
	}
	return list
}

// move replaces the code of f by the finalizer's result. It updates some of what refers to places in that code;
// package emit updates the rest after the output is numbered.
func (l *Finalized) move(f *program.Function, result mercury.Result) {
	l.places[f] = result.Map
	movePlaces(f, result)
	f.Text.SetBytes(result.Text)
	f.Text.Mercury.SetBytes(result.Capsule)
	f.Symbol.Size = f.Text.Size
	for i := range f.Text.Relocations {
		r := &f.Text.Relocations[i]
		r.Offset = result.Map.Offset(r.Offset)
		if r.Symbol == f.Symbol && r.Addend > 0 { // the return address of a call
			r.Addend = int64(result.Map.Offset(uint64(r.Addend)))
		}
	}
}
