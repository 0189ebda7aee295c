package emit

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
)

// rebuildDebug makes the plain sections for debuggers those of the finalizer: without
// what they say of code that is not in the output, and with the places of code that
// has moved.
//
// Before: relocations are settled, symbols have their numbers.
func (r *emitter) rebuildDebug() error {
	if !r.HasMercury() {
		return nil
	}
	if err := r.rebuildFrames(); err != nil {
		return err
	}
	places, err := r.rebuildLines(r.ByName[cubin.DebugLineName])
	if err != nil {
		return err
	}
	r.moveLineStarts(places)
	if _, err := r.rebuildLines(r.ByName[cubin.DebugSASSLineName]); err != nil {
		return err
	}
	if err := r.rebuildRegisters(r.ByName[cubin.DebugRegistersName]); err != nil {
		return err
	}
	r.moveRanges(r.ByName[cubin.DebugInfoName])
	r.moveRanges(r.ByName[".debug_loc"])
	return nil
}

// moveRanges lets the places in code that s tells of follow the code. Those of code that
// gave way to other code are where the Mercury form of that has its next instruction, or
// its end (MERC-124).
func (r *emitter) moveRanges(s *program.Section) {
	if s == nil {
		return
	}
	inner := map[uint64]uint64{} // places in the Mercury form, by the offset of the relocation
	if s.Mercury != nil {
		for _, rel := range s.Mercury.Relocations {
			inner[rel.Offset] = uint64(rel.Addend)
		}
	}
	for i := range s.Relocations {
		rel := &s.Relocations[i]
		fn := rel.Symbol.Fn
		if fn == nil || rel.Addend <= 0 {
			continue
		}
		var code *mercury.Code // that stays, where this file's gave way
		at, ok := inner[rel.Offset]
		if ok && rel.Stale {
			code = r.Inner(fn)
		}
		if code != nil {
			rel.Addend = int64(code.Machine(at))
		} else {
			rel.Addend = int64(r.Places(fn).Offset(uint64(rel.Addend)))
		}
	}
}

// moveLineStarts lets .debug_info follow the lines of units to their new places (MERC-122).
func (r *emitter) moveLineStarts(places mercury.Places) {
	info := r.ByName[cubin.DebugInfoName]
	if info == nil {
		return
	}
	for _, at := range r.LineStarts {
		if at+4 <= info.Held() {
			word := info.Writable()[at:]
			start, _ := places.Offset(uint64(binary.LittleEndian.Uint32(word)))
			binary.LittleEndian.PutUint32(word, uint32(start))
		}
	}
	for i := range info.Relocations {
		if rel := &info.Relocations[i]; rel.StartsLines() {
			start, _ := places.Offset(uint64(rel.Addend))
			rel.Addend = int64(start)
		}
	}
}

// rebuildLines makes a line table anew, and tells where its parts went.
func (r *emitter) rebuildLines(s *program.Section) (mercury.Places, error) {
	if s == nil {
		return nil, nil
	}
	at := map[uint64]program.Relocation{}
	for _, rel := range s.Relocations {
		at[rel.Offset] = rel
	}
	second := r.secondNames()
	inner := mercury.LineCopy{Number: func(uint64) uint32 { return 0 }}
	if s.Mercury != nil {
		numbers := map[uint64]uint32{}
		for _, rel := range s.Mercury.Relocations {
			numbers[rel.Offset] = r.number(rel.Symbol)
		}
		inner.Section, inner.Number = s.Mercury.Bytes(), func(relocation uint64) uint32 { return numbers[relocation] }
	}
	data, places, err := mercury.Lines(s.Bytes(), inner, mercury.Place{Part: "section " + s.Name}, r.Target.Profile.EndsEmptyLines, func(offset uint64) mercury.Outcome {
		rel, ok := at[offset]
		outcome := mercury.Outcome{Kept: ok}
		if ok && rel.Symbol.Fn != nil {
			outcome.Map, outcome.Number = r.Places(rel.Symbol.Fn), r.number(rel.Symbol)
			outcome.Unfound = second[codePart{code: rel.Symbol}]
			if rel.Stale {
				outcome.Replaced = r.Inner(rel.Symbol.Fn)
			}
		}
		return outcome
	})
	if err != nil {
		return nil, err
	}
	s.Relocations = slices.DeleteFunc(s.Relocations, func(rel program.Relocation) bool {
		_, kept := places.Offset(rel.Offset)
		return !kept
	})
	for i := range s.Relocations {
		s.Relocations[i].Offset, _ = places.Offset(s.Relocations[i].Offset)
	}
	// The finalizer makes these relocations in order; a section shows the last first.
	slices.SortStableFunc(s.Relocations, func(a, b program.Relocation) int { return cmp.Compare(b.Offset, a.Offset) })
	s.SetBytes(data)
	return places, nil
}

// rebuildRegisters moves what tells where variables are in registers.
func (r *emitter) rebuildRegisters(s *program.Section) error {
	if s == nil {
		return nil
	}
	byName := map[string]*program.Function{}
	for _, fn := range slices.Backward(r.Functions) {
		if !fn.Dead && !fn.Undefined() { // static functions of one name: the first that is left
			byName[fn.Symbol.Name] = fn
		}
	}
	return mercury.Registers(s.Writable(), mercury.Place{Part: "section " + s.Name}, func(name string) (mercury.Map, bool) {
		fn := byName[name]
		delete(byName, name) // what other inputs say of a weak function is lost, whichever is linked
		if fn == nil {
			return mercury.Map{}, false
		}
		return r.Places(fn), true
	})
}
