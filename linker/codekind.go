package linker

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// The low byte of e_flags says what code a file for sm_100 or later holds: Mercury code
// in a half of its own, which a finalizer makes machine code from, or machine code that
// stays as it is. An output has a Mercury half if all its inputs have Mercury code;
// one input without is enough for an output of machine code only, and then the other
// inputs' Mercury halves are skipped (MERC-301).

// Bits of the low byte of e_flags; the others say nothing (MERC-302).
const (
	codeKindMercury = 1 // bare Mercury code, which no released compiler writes
	codeKindCapsule = 2 // a Mercury half beside machine code
	codeKindSASS    = 4 // machine code
)

// hasMercury tells whether o has Mercury code, so that its machine code can be made anew.
func (o *object) hasMercury() bool {
	return o.file.SM() >= arch.MinMercury && o.file.Flags&(codeKindMercury|codeKindCapsule) != 0
}

// skips tells whether section s of the input is left out as a part of a Mercury half. In
// a file of machine code such sections are like others.
func (in *merger) skips(s *cubin.Section) bool {
	return s.Flags&cubin.FlagMercury != 0 && (in.mercury || in.object.hasMercury() && in.object.file.Flags&codeKindSASS == 0)
}

// checkKind refuses an input of no kind beside one that has Mercury code: nvlink asks its
// finalizer for machine code, which has nothing to make it from (MERC-303).
func (m *merged) checkKind(o *object, anyMercury bool, log *diag.Log) bool {
	if m.target.Mercury() && anyMercury && o.file.Flags&(codeKindMercury|codeKindCapsule|codeKindSASS) == 0 || o.refused {
		log.Report(diag.FinalizerFailed, o.name)
		return false
	}
	return true
}

// checkBare refuses relocations of bare Mercury code (MERC-304).
func (in *merger) checkBare() bool {
	kind := in.object.file.Flags & (codeKindMercury | codeKindCapsule | codeKindSASS)
	bare := kind == codeKindMercury || in.mercury && kind == codeKindMercury|codeKindSASS
	if bare && in.object.hasMercury() {
		for i, relocations := range in.object.tables {
			if len(relocations) > 0 && in.object.file.Sections[i].Type != cubin.SectionMercRela {
				in.log.Report(diag.InternalError, "unexpected reloc")
				return false
			}
		}
	}
	return true
}
