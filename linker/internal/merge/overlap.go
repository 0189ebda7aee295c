package merge

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// A second strong definition of a function is an error, which ends the link when the input is merged. nvlink still adds
// its compiler-generated constants, and in one case its code, to the sections of the first definition. It ends with an
// internal error if the two have different bytes in one place, or if their parts overlap partially (DIAG-115).

// Messages about bytes in one place.
const (
	otherBytes = "overlapping non-identical data"
	otherSpans = "overlapping data spans too much"
)

// A span is a part of a section: a constant, or all of it.
type span struct{ start, end uint64 }

// overlay adds a part to the parts of a section. same reports whether n bytes at a place are the same in both. overlay
// returns nvlink's complaint, or the empty string. A part that begins before another one is not compared with it.
func overlay(parts []span, add span, same func(at, n uint64) bool) (all []span, complaint string) {
	i := slices.IndexFunc(parts, func(p span) bool { return p.start <= add.start && add.start < p.end })
	if i < 0 {
		at := slices.IndexFunc(parts, func(p span) bool { return p.start > add.start })
		if at < 0 {
			at = len(parts)
		}
		return slices.Insert(parts, at, add), ""
	}
	old := &parts[i]
	switch {
	case add.start > old.start && add.end > old.end:
		return parts, otherSpans
	case !same(add.start, min(add.end, old.end)-add.start):
		return parts, otherBytes
	case add.end <= old.end:
		return parts, ""
	}
	if i+1 < len(parts) && add.end > parts[i+1].start {
		next := parts[i+1]
		if add.end != next.end {
			return parts, otherSpans
		}
		if !same(next.start, next.start-add.start) { // nvlink's count, which may be less or more than the bytes of next
			return parts, otherBytes
		}
	}
	old.end = add.end
	return parts, ""
}

// sameBytes returns a function that compares two texts at a place, as far as both go.
func sameBytes(a, b []byte) func(at, n uint64) bool {
	return func(at, n uint64) bool {
		end := min(at+n, uint64(len(a)), uint64(len(b)))
		return at >= end || bytes.Equal(a[at:end], b[at:end])
	}
}

// mostOverlays limits the steps of these comparisons in a link. The rest is not compared. The link fails in any case, and only its
// last message may differ.
const mostOverlays = 1 << 26

// overlayConstants compares the compiler-generated constants of y, a second definition, with those of the first. A
// section without symbols is one part.
func (in *merger) overlayConstants(known *program.Symbol, y *cubin.Symbol) {
	if in.overlap != "" || in.overlays > mostOverlays || known.Fn == nil || known.Fn.CompilerConstants() == nil || !y.Defined() {
		return
	}
	in.overlays += len(in.object.File.Sections)
	for i := range in.object.File.Sections {
		s := &in.object.File.Sections[i]
		if bank, ok := s.ConstantBank(); ok && bank == cubin.CompilerBankNumber && s.Info == y.Section {
			in.overlap = in.overlayBank(known.Fn.CompilerConstants(), uint32(i))
			return
		}
	}
}

// overlayBank compares the constants in section i of the input with those of an earlier input.
func (in *merger) overlayBank(first *program.Section, i uint32) (complaint string) {
	same := sameBytes(first.Bytes(), in.object.Data(i))
	if in.HasMercury() { // the Mercury half, which nvlink merges, has zeros there
		same = func(uint64, uint64) bool { return true }
	}
	parts := in.constantParts(first)
	added := []span{{0, in.object.File.Sections[i].Size}}
	if list := in.constants[i]; len(list) > 0 {
		added = added[:0]
		for _, y := range list {
			added = append(added, span{y.Value, y.Value + y.Size})
		}
	}
	in.overlays += len(in.Locals)
	for _, part := range added {
		if in.overlays += len(parts); in.overlays > mostOverlays {
			return ""
		}
		if parts, complaint = overlay(parts, part, same); complaint != "" {
			return complaint
		}
	}
	return ""
}

// constantParts returns the constants in a section of the program, by place.
func (m *merged) constantParts(s *program.Section) (parts []span) {
	for _, y := range m.Locals {
		if y.Section == s && y.Type != cubin.SymSection && y.Size > 0 {
			parts = append(parts, span{y.Value, y.Value + y.Size})
		}
	}
	if len(parts) == 0 {
		return []span{{0, s.Size}}
	}
	slices.SortStableFunc(parts, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return parts
}

// overlayAlias handles an alias whose function is defined twice. If an earlier input refers to the alias, nvlink adds the
// code to that of the first definition (MERGE-970). It reports whether the link goes on.
func (in *merger) overlayAlias(y, owner *cubin.Symbol) bool {
	known, first := in.known(y), in.symbolOf[owner.Index]
	if known == nil || known.Section != nil || first == nil || first.Section == nil || !in.conflicting[y.Section] || in.overlays > mostOverlays {
		return true
	}
	had, has := first.Section.Bytes(), in.object.Data(y.Section) // of the plain half, also beside a Mercury half
	in.overlays += len(had) + len(has)
	_, complaint := overlay([]span{{0, uint64(len(had))}}, span{0, uint64(len(has))}, sameBytes(had, has))
	if complaint != "" {
		in.stop(complaint)
	}
	return complaint == ""
}
