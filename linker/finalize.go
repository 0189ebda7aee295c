package linker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// finalize makes the machine code of a file with a Mercury half from that of the inputs
// (MERC-110 to MERC-123). A relocatable link does no more than what links for debuggers
// need; a file without the half keeps the inputs' code, and is finalized only for another
// target (MERC-306).
//
// Before: every symbol has its value, no relocation is settled.
// After:  code that the finalizer changes is what it makes of it, and everything that
// names a place in that code has followed; all other code is the input's.
// Cost: linear in code.
func finalize(l *laidOut, log *diag.Log) bool {
	if !l.target.Mercury() {
		return true
	}
	waits := l.waitsAtExit()
	for _, fn := range l.functions {
		if fn.dead || fn.text == nil {
			continue
		}
		changes := mercury.Retarget(fn.text.data, fn.madeFor, l.target.Number)
		if l.mercury && fn.text.copy != nil && (!l.options.Relocatable || waits || mercury.WaitsAtExit(fn.text.data, fn.text.copy.data)) {
			result, err := l.finalizeFunction(fn, waits)
			if err != nil {
				log.Add(damagedInput(fn.symbol.definedIn, err))
				return false
			}
			changes = result.Changes
			l.options.trace(finalizedFunction, fn.symbol.name, changes)
			switch {
			case result.Map.Moved():
				fn.move(result)
			case changes&mercury.Recoloured != 0:
				fn.text.data, fn.text.owned = result.Text, true
			}
		}
		if changes&mercury.Target != 0 {
			log.Report(diag.NeedsCodeGenerator, fn.symbol.name, fn.symbol.definedIn, fn.madeFor, l.options.Arch)
			return false
		}
	}
	l.moveTables()
	return true
}

// waitsAtExit tells whether errors are waited for at exits: in a link with -g, or of code
// that was compiled with -G (MERC-123).
func (l *laidOut) waitsAtExit() bool {
	return l.options.debugSymbols() || slices.ContainsFunc(l.attributes, func(a *attribute) bool { return a.Code == nvinfo.GenErrbarAtExit })
}

// finalizeFunction asks the finalizer for the code of fn.
func (l *laidOut) finalizeFunction(fn *function, waitsAtExit bool) (mercury.Result, error) {
	run := l.options.Finalizer
	if run == nil {
		run = mercury.Finalize
	}
	return run(mercury.Function{
		Text: fn.text.data, Capsule: fn.text.copy.data, Entry: fn.entry,
		Partial: l.options.Relocatable, Debug: l.options.debugSymbols(), WaitsAtExit: waitsAtExit,
		Input: fn.madeFor, Target: l.target.Number,
		TextAt:    mercury.Place{File: fn.symbol.definedIn, Part: "section " + fn.text.name},
		CapsuleAt: mercury.Place{File: fn.symbol.definedIn, Part: "section " + fn.text.copy.name},
	})
}

// move gives f the code of the finalizer. What names a place in it follows here and,
// once the output is numbered, in emit.
func (f *function) move(result mercury.Result) {
	f.places = result.Map
	f.text.data, f.text.owned, f.text.size = result.Text, true, uint64(len(result.Text))
	f.text.copy.data, f.text.copy.owned, f.text.copy.size = result.Capsule, true, uint64(len(result.Capsule))
	f.symbol.size = f.text.size
	for i := range f.text.relocations {
		r := &f.text.relocations[i]
		r.offset = result.Map.Offset(r.offset)
		if r.symbol == f.symbol && r.addend > 0 { // where a call returns to
			r.addend = int64(result.Map.Offset(uint64(r.addend)))
		}
	}
}

// moveTables lets the jump tables follow the code that they name. Where code that was
// replaced left relocations too, a word has several.
func (l *laidOut) moveTables() {
	for _, s := range l.sections {
		if s.bank != compilerBankNumber || s.copy == nil || s.dead() {
			continue
		}
		moved := map[uint64]bool{}
		for _, r := range s.copy.relocations {
			if y := r.symbol; y != nil && y.fn != nil && y.fn.places.Moved() && !moved[r.offset] {
				moved[r.offset] = true
				y.fn.places.Words(s.writable(), []uint64{r.offset})
			}
		}
	}
}

// Sections for debuggers that say where things are in code.
const (
	debugInfoName      = ".debug_info"
	debugLineName      = ".debug_line"
	debugSASSLineName  = ".nv_debug_line_sass"
	debugRegistersName = ".nv_debug_info_reg_sass"
)

// rebuildDebug makes the plain sections for debuggers those of the finalizer: without
// what they say of code that is not in the output, and with the places of code that
// has moved.
//
// Before: relocations are settled, symbols have their numbers.
func (r *relocated) rebuildDebug() error {
	if !r.mercury {
		return nil
	}
	if err := r.rebuildFrames(); err != nil {
		return err
	}
	places, err := r.rebuildLines(r.byName[debugLineName])
	if err != nil {
		return err
	}
	r.moveLineStarts(places)
	if _, err := r.rebuildLines(r.byName[debugSASSLineName]); err != nil {
		return err
	}
	if err := r.rebuildRegisters(r.byName[debugRegistersName]); err != nil {
		return err
	}
	r.moveRanges(r.byName[debugInfoName])
	r.moveRanges(r.byName[".debug_loc"])
	return nil
}

// moveRanges lets the places in code that s tells of follow the code. Those of code that
// gave way to other code are where the Mercury form of that has its next instruction, or
// its end (MERC-124).
func (r *relocated) moveRanges(s *section) {
	if s == nil {
		return
	}
	inner := map[uint64]uint64{} // places in the Mercury form, by the offset of the relocation
	if s.copy != nil {
		for _, rel := range s.copy.relocations {
			inner[rel.offset] = uint64(rel.addend)
		}
	}
	for i := range s.relocations {
		rel := &s.relocations[i]
		fn := rel.symbol.fn
		if fn == nil || rel.addend <= 0 {
			continue
		}
		var code *mercury.Code // that stays, where this file's gave way
		at, ok := inner[rel.offset]
		if ok && rel.stale {
			code = fn.inner()
		}
		if code != nil {
			rel.addend = int64(code.Machine(at))
		} else {
			rel.addend = int64(fn.places.Offset(uint64(rel.addend)))
		}
	}
}

// startsLines tells whether r, of .debug_info, names where the lines of a unit begin.
func (r *relocation) startsLines() bool {
	return r.symbol != nil && r.symbol.isSection && r.symbol.section != nil && r.symbol.section.name == debugLineName
}

// findLineStarts notes what in .debug_info will name the beginning of a unit's lines. With
// -r it stays a relocation.
func (r *relocated) findLineStarts() {
	info := r.byName[debugInfoName]
	if info == nil || !r.mercury || r.options.Relocatable {
		return
	}
	for i := range info.relocations {
		if rel := &info.relocations[i]; rel.startsLines() {
			r.lineStarts = append(r.lineStarts, rel.offset)
		}
	}
}

// moveLineStarts lets .debug_info follow the lines of units to their new places (MERC-122).
func (r *relocated) moveLineStarts(places mercury.Places) {
	info := r.byName[debugInfoName]
	if info == nil {
		return
	}
	for _, at := range r.lineStarts {
		if at+4 <= uint64(len(info.data)) {
			start, _ := places.Offset(uint64(le.Uint32(info.data[at:])))
			le.PutUint32(info.writable()[at:], uint32(start))
		}
	}
	for i := range info.relocations {
		if rel := &info.relocations[i]; rel.startsLines() {
			start, _ := places.Offset(uint64(rel.addend))
			rel.addend = int64(start)
		}
	}
}

// rebuildLines makes a line table anew, and tells where its parts went.
func (r *relocated) rebuildLines(s *section) (mercury.Places, error) {
	if s == nil {
		return nil, nil
	}
	at := map[uint64]relocation{}
	for _, rel := range s.relocations {
		at[rel.offset] = rel
	}
	second := r.secondNames()
	inner := mercury.LineCopy{Number: func(uint64) uint32 { return 0 }}
	if s.copy != nil {
		numbers := map[uint64]uint32{}
		for _, rel := range s.copy.relocations {
			numbers[rel.offset] = rel.symbol.index
		}
		inner.Section, inner.Number = s.copy.data, func(relocation uint64) uint32 { return numbers[relocation] }
	}
	data, places, err := mercury.Lines(s.data, inner, mercury.Place{Part: "section " + s.name}, func(offset uint64) mercury.Outcome {
		rel, ok := at[offset]
		outcome := mercury.Outcome{Kept: ok}
		if ok && rel.symbol.fn != nil {
			outcome.Map, outcome.Number = rel.symbol.fn.places, rel.symbol.index
			outcome.Unfound = second[codePart{code: rel.symbol}]
			if rel.stale {
				outcome.Replaced = rel.symbol.fn.inner()
			}
		}
		return outcome
	})
	if err != nil {
		return nil, err
	}
	s.relocations = slices.DeleteFunc(s.relocations, func(rel relocation) bool {
		_, kept := places.Offset(rel.offset)
		return !kept
	})
	for i := range s.relocations {
		s.relocations[i].offset, _ = places.Offset(s.relocations[i].offset)
	}
	// The finalizer makes these relocations in order; a section shows the last first.
	slices.SortStableFunc(s.relocations, func(a, b relocation) int { return cmp.Compare(b.offset, a.offset) })
	s.data, s.owned, s.size = data, true, uint64(len(data))
	return places, nil
}

// inner is the code of f as its Mercury form sees it; nil if it cannot be read.
//
// Before: the finalizer has run. What relocations write later moves nothing.
func (f *function) inner() *mercury.Code {
	if f.code == nil && f.text != nil && f.text.copy != nil {
		if capsule, err := mercury.OpenCapsule(f.text.copy.data, mercury.Place{}); err == nil {
			f.code = capsule.Code(f.text.data)
		}
	}
	return f.code
}

// rebuildRegisters moves what tells where variables are in registers.
func (r *relocated) rebuildRegisters(s *section) error {
	if s == nil {
		return nil
	}
	byName := map[string]*function{}
	for _, fn := range slices.Backward(r.functions) {
		if !fn.dead && !fn.undefined() { // static functions of one name: the first that is left
			byName[fn.symbol.name] = fn
		}
	}
	return mercury.Registers(s.writable(), mercury.Place{Part: "section " + s.name}, func(name string) (mercury.Map, bool) {
		fn := byName[name]
		delete(byName, name) // what other inputs say of a weak function is lost, whichever is linked
		if fn == nil {
			return mercury.Map{}, false
		}
		return fn.places, true
	})
}

// patchCapsule writes what relocations came to into the capsule of a function.
func (s *section) patchCapsule() error {
	if len(s.operands) == 0 {
		return nil
	}
	slices.SortFunc(s.operands, func(a, b mercury.Operand) int { return cmp.Compare(a.Machine, b.Machine) })
	capsule, err := mercury.OpenCapsule(s.copy.writable(), mercury.Place{File: s.fn.symbol.definedIn, Part: "section " + s.copy.name})
	if err != nil {
		return fmt.Errorf("cannot write the value of a relocation: %w", err)
	}
	capsule.Patch(s.operands)
	return nil
}

// noteOperand keeps what a relocation of type t at offset of machine code came to, for
// the capsule.
func (s *section) noteOperand(offset uint64, t *reloc.Type, v reloc.Value) {
	if s.group != groupText || s.copy == nil || s.copy.typ != cubin.SectionCapMerc {
		return
	}
	if size := mercury.OperandSize(t.Number); size > 0 {
		s.operands = append(s.operands, mercury.Operand{
			Machine: int(offset / mercury.InstructionSize), Size: size, Value: uint32(v.Symbol + uint64(v.Addend)),
		})
	}
}
