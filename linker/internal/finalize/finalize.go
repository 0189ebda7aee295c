package finalize

import (
	"slices"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// A Finalized program has the machine code of the output.
type Finalized struct {
	*layout.Placed
	places map[*program.Function]mercury.Map
	inner  map[*program.Function]*mercury.Code
}

// Places says where the finalizer has put the code of f.
func (l *Finalized) Places(f *program.Function) mercury.Map { return l.places[f] }

// Code makes the machine code of a file with a Mercury half from that of the inputs
// (MERC-110 to MERC-123). A relocatable link does no more than what links for debuggers
// need; a file without the half keeps the inputs' code, and is finalized only for another
// target (MERC-306).
//
// Before: every symbol has its value, no relocation is settled.
// After:  code that the finalizer changes is what it makes of it, and everything that
// names a place in that code has followed; all other code is the input's.
// Cost: linear in code.
func Code(placed *layout.Placed, log *diag.Log) (*Finalized, bool) {
	l := &Finalized{Placed: placed, places: map[*program.Function]mercury.Map{}, inner: map[*program.Function]*mercury.Code{}}
	if !l.Target.Mercury() {
		return l, true
	}
	waits := l.waitsAtExit()
	for _, fn := range l.Functions {
		if fn.Dead || fn.Text == nil {
			continue
		}
		changes := mercury.Retarget(fn.Text.Bytes(), fn.MadeFor, l.Target.Number)
		if l.HasMercury() && fn.Text.Mercury != nil && (!l.Options.Relocatable || waits || mercury.WaitsAtExit(fn.Text.Bytes(), fn.Text.Mercury.Bytes())) {
			result, err := l.finalizeFunction(fn, waits)
			if err != nil {
				log.Add(object.DamagedInput(fn.Symbol.DefinedIn, err))
				return nil, false
			}
			changes = result.Changes
			l.Options.TraceStep(trace.FinalizedFunction, fn.Symbol.Name, changes)
			switch {
			case result.Map.Moved():
				l.move(fn, result)
			case changes&mercury.Recoloured != 0:
				fn.Text.SetBytes(result.Text)
			}
		}
		if changes&mercury.Target != 0 {
			log.Report(diag.NeedsCodeGenerator, fn.Symbol.Name, fn.Symbol.DefinedIn, fn.MadeFor, l.Options.Arch)
			return nil, false
		}
	}
	l.moveTables()
	for _, s := range l.Sections {
		fillTables(s)
	}
	return l, true
}

// waitsAtExit reports whether errors are waited for at exits: in a link with -g, or of code
// that was compiled with -G (MERC-123).
func (l *Finalized) waitsAtExit() bool {
	return l.Options.DebugSymbols() || slices.ContainsFunc(l.Attributes, func(a *program.Attribute) bool { return a.Code == nvinfo.GenErrbarAtExit })
}

// finalizeFunction asks the finalizer for the code of fn.
func (l *Finalized) finalizeFunction(fn *program.Function, waitsAtExit bool) (mercury.Result, error) {
	run := l.Options.Finalizer
	if run == nil {
		run = mercury.Finalize
	}
	return run(mercury.Function{
		Text: fn.Text.Bytes(), Capsule: fn.Text.Mercury.Bytes(), Entry: fn.Entry,
		Partial: l.Options.Relocatable, Debug: l.Options.DebugSymbols(), WaitsAtExit: waitsAtExit,
		Input: fn.MadeFor, Target: l.Target.Number,
		TextAt:    mercury.Place{File: fn.Symbol.DefinedIn, Part: "section " + fn.Text.Name},
		CapsuleAt: mercury.Place{File: fn.Symbol.DefinedIn, Part: "section " + fn.Text.Mercury.Name},
	})
}

// move gives f the code of the finalizer. What names a place in it follows here and,
// once the output is numbered, in emit.
func (l *Finalized) move(f *program.Function, result mercury.Result) {
	l.places[f] = result.Map
	f.Text.SetBytes(result.Text)
	f.Text.Mercury.SetBytes(result.Capsule)
	f.Symbol.Size = f.Text.Size
	for i := range f.Text.Relocations {
		r := &f.Text.Relocations[i]
		r.Offset = result.Map.Offset(r.Offset)
		if r.Symbol == f.Symbol && r.Addend > 0 { // where a call returns to
			r.Addend = int64(result.Map.Offset(uint64(r.Addend)))
		}
	}
}
