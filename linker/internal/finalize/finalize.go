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

// Code makes the machine code of a file with a Mercury half from that of the inputs
// (MERC-110 to MERC-123). A relocatable link does no more than what links for debuggers
// need; a file without the half keeps the inputs' code, and is finalized only for another
// target (MERC-306).
//
// Before: every symbol has its value, no relocation is settled.
// After:  code that the finalizer changes is what it makes of it, and everything that
// names a place in that code has followed; all other code is the input's.
// Cost: linear in code.
func Code(l *layout.Placed, log *diag.Log) bool {
	if !l.Target.Mercury() {
		return true
	}
	waits := waitsAtExit(l)
	for _, fn := range l.Functions {
		if fn.Dead || fn.Text == nil {
			continue
		}
		changes := mercury.Retarget(fn.Text.Data, fn.MadeFor, l.Target.Number)
		if l.Mercury && fn.Text.Copy != nil && (!l.Options.Relocatable || waits || mercury.WaitsAtExit(fn.Text.Data, fn.Text.Copy.Data)) {
			result, err := finalizeFunction(l, fn, waits)
			if err != nil {
				log.Add(object.DamagedInput(fn.Symbol.DefinedIn, err))
				return false
			}
			changes = result.Changes
			l.Options.TraceStep(trace.FinalizedFunction, fn.Symbol.Name, changes)
			switch {
			case result.Map.Moved():
				move(fn, result)
			case changes&mercury.Recoloured != 0:
				fn.Text.Data, fn.Text.Owned = result.Text, true
			}
		}
		if changes&mercury.Target != 0 {
			log.Report(diag.NeedsCodeGenerator, fn.Symbol.Name, fn.Symbol.DefinedIn, fn.MadeFor, l.Options.Arch)
			return false
		}
	}
	moveTables(l)
	return true
}

// waitsAtExit reports whether errors are waited for at exits: in a link with -g, or of code
// that was compiled with -G (MERC-123).
func waitsAtExit(l *layout.Placed) bool {
	return l.Options.DebugSymbols() || slices.ContainsFunc(l.Attributes, func(a *program.Attribute) bool { return a.Code == nvinfo.GenErrbarAtExit })
}

// finalizeFunction asks the finalizer for the code of fn.
func finalizeFunction(l *layout.Placed, fn *program.Function, waitsAtExit bool) (mercury.Result, error) {
	run := l.Options.Finalizer
	if run == nil {
		run = mercury.Finalize
	}
	return run(mercury.Function{
		Text: fn.Text.Data, Capsule: fn.Text.Copy.Data, Entry: fn.Entry,
		Partial: l.Options.Relocatable, Debug: l.Options.DebugSymbols(), WaitsAtExit: waitsAtExit,
		Input: fn.MadeFor, Target: l.Target.Number,
		TextAt:    mercury.Place{File: fn.Symbol.DefinedIn, Part: "section " + fn.Text.Name},
		CapsuleAt: mercury.Place{File: fn.Symbol.DefinedIn, Part: "section " + fn.Text.Copy.Name},
	})
}

// move gives f the code of the finalizer. What names a place in it follows here and,
// once the output is numbered, in emit.
func move(f *program.Function, result mercury.Result) {
	f.Places = result.Map
	f.Text.Data, f.Text.Owned, f.Text.Size = result.Text, true, uint64(len(result.Text))
	f.Text.Copy.Data, f.Text.Copy.Owned, f.Text.Copy.Size = result.Capsule, true, uint64(len(result.Capsule))
	f.Symbol.Size = f.Text.Size
	for i := range f.Text.Relocations {
		r := &f.Text.Relocations[i]
		r.Offset = result.Map.Offset(r.Offset)
		if r.Symbol == f.Symbol && r.Addend > 0 { // where a call returns to
			r.Addend = int64(result.Map.Offset(uint64(r.Addend)))
		}
	}
}
