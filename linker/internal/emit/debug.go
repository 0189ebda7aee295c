package emit

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/parallel"
)

// rebuildDebug rebuilds the plain debug sections as the finalizer does. It omits entries for code
// that is not in the output, and updates addresses of code that has moved.
//
// Before the call, relocations are settled and symbols have their numbers.
func (r *emitter) rebuildDebug() error {
	if !r.HasMercury() {
		return nil
	}
	second := r.secondNames()
	tables := [...]func() error{
		func() error { return r.rebuildFrames(second) },
		func() error {
			places, err := r.rebuildLines(r.ByName[cubin.DebugLineName], second)
			r.moveLineStarts(places)
			r.moveRanges(r.ByName[cubin.DebugInfoName])
			return err
		},
		func() error {
			_, err := r.rebuildLines(r.ByName[cubin.DebugSASSLineName], second)
			return err
		},
		func() error { return r.rebuildRegisters(r.ByName[cubin.DebugRegistersName]) },
		func() error {
			r.moveRanges(r.ByName[cubin.DebugLocName])
			return nil
		},
	}
	var failed [len(tables)]error
	parallel.Do(r.Options.Threads, len(tables), func(i int) { failed[i] = tables[i]() })
	return cmp.Or(failed[:]...)
}

// moveRanges updates the code addresses in s. An address in discarded code becomes that of the next
// instruction in the Mercury form of the prevailing code. If there is none, it becomes the end of
// that code (MERC-124).
func (r *emitter) moveRanges(s *program.Section) {
	if s == nil {
		return
	}
	var inner byOffset // relocations with addresses in the Mercury form
	if s.Mercury != nil && slices.ContainsFunc(s.Relocations, func(rel program.Relocation) bool { return rel.Stale }) {
		inner = indexByOffset(s.Mercury.Relocations)
	}
	for i := range s.Relocations {
		rel := &s.Relocations[i]
		fn := rel.Symbol.Fn
		if fn == nil || rel.Addend <= 0 {
			continue
		}
		if rel.Stale {
			if at, code := inner.at(rel.Offset), r.Inner(fn); at != nil && code != nil { // the code prevails over that of this file
				rel.Addend = int64(code.Machine(uint64(at.Addend)))
				continue
			}
		}
		rel.Addend = int64(r.Places(fn).Offset(uint64(rel.Addend)))
	}
}

// moveLineStarts updates the references in .debug_info to the line tables of units (MERC-122).
func (r *emitter) moveLineStarts(places codemap.Places) {
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

// rebuildLines rebuilds a line table, and returns the new places of its parts.
func (r *emitter) rebuildLines(s *program.Section, second map[codePart]bool) (codemap.Places, error) {
	if s == nil {
		return nil, nil
	}
	relocations := indexByOffset(s.Relocations)
	inner := codemap.LineCopy{Number: func(uint64) uint32 { return 0 }}
	if s.Mercury != nil {
		copied := indexByOffset(s.Mercury.Relocations)
		inner.Section, inner.Place = s.Mercury.Bytes(), capsule.Place{Part: partOfCopy(s)}
		inner.Number = func(relocation uint64) uint32 {
			if rel := copied.at(relocation); rel != nil {
				return r.number(rel.Symbol)
			}
			return 0
		}
	}
	data, places, err := codemap.Lines(s.Bytes(), inner, capsule.Place{Part: partOf(s)}, r.Target.Profile.Emit.EndsEmptyLines, func(offset uint64) codemap.Outcome {
		rel := relocations.at(offset)
		outcome := codemap.Outcome{Kept: rel != nil}
		if rel != nil && rel.Symbol.Fn != nil {
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
	// The finalizer adds these relocations in the order of their offsets. The section lists the
	// last one first.
	slices.SortStableFunc(s.Relocations, func(a, b program.Relocation) int { return cmp.Compare(b.Offset, a.Offset) })
	s.SetBytes(data)
	return places, nil
}

// rebuildRegisters updates the debug section that lists the registers of variables.
func (r *emitter) rebuildRegisters(s *program.Section) error {
	if s == nil {
		return nil
	}
	byName := make(map[string]*program.Function, len(r.Functions))
	for _, fn := range slices.Backward(r.Functions) {
		if !fn.Dead && !fn.Undefined() { // for static functions of the same name, the first that remains
			byName[fn.Symbol.Name] = fn
		}
	}
	var inner []byte
	if s.Mercury != nil {
		inner = s.Mercury.Bytes()
	}
	policy := mercury.RegisterPolicyOf(r.Target.Profile)
	return codemap.Registers(s.Writable(), inner, capsule.Place{Part: partOf(s)}, policy, func(name string, offset int) codemap.Outcome {
		fn := byName[name]
		delete(byName, name) // entries of other inputs for a weak function are lost, whichever definition prevails
		if fn == nil {
			return codemap.Outcome{}
		}
		outcome := codemap.Outcome{Kept: true, Map: r.Places(fn)}
		if s.OriginAt(uint64(offset)) != fn.Symbol.DefinedIn {
			outcome.Replaced = r.Inner(fn)
		}
		return outcome
	})
}
