package merge

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/reloc"
)

// The low byte of e_flags is the kind of code in a file for sm_100 or later. The code can be Mercury code, in a
// separate half, from which a finalizer makes machine code. It can also be machine code that is not changed. An
// output has a Mercury half if all its inputs have Mercury code. If a single input has none, the output has
// machine code only, and the Mercury halves of the other inputs are skipped (MERC-301).

// skips reports whether section s of the input is part of a Mercury half that is skipped. In a file of machine
// code such a section is an ordinary one.
func (in *merger) skips(s *cubin.Section) bool {
	return s.Flags&cubin.FlagMercury != 0 && (in.HasMercury() || in.object.HasMercury() && in.object.File.Flags&cubin.CodeKindSASS == 0)
}

// checkKind refuses an input without a code kind if another input has Mercury code. nvlink then requests
// machine code from its finalizer, which has nothing to translate (MERC-303). It also refuses an input that the
// finalizer rejects (MERC-312).
func (m *merged) checkKind(o *object.Object, anyMercury bool, log *diag.Log) bool {
	switch {
	case m.Target.Mercury() && anyMercury && o.File.Flags&(cubin.CodeKindMercury|cubin.CodeKindCapsule|cubin.CodeKindSASS) == 0:
		m.finalizationFailed(o, object.UnsupportedType, log)
	case o.Refused != "":
		m.finalizationFailed(o, o.Refused, log)
	case m.refusesFrames(o, log):
		m.finalizationFailed(o, object.UnsupportedType, log)
	case o.OtherBinds && !m.Target.Profile.Accept.TakesAnyBinding:
		m.finalizationFailed(o, "", log)
	default:
		return true
	}
	return false
}

// refusesFrames reports whether the finalizer refuses the call frames of an input, and why (MERC-320, KIT-176).
func (m *merged) refusesFrames(o *object.Object, log *diag.Log) bool {
	switch o.FrameFault(m.Target.Profile.Accept.ReadsFrames) {
	case object.NarrowFrame:
		log.Report(diag.NarrowFrame)
	case object.MalformedFrame:
		log.Report(diag.MalformedFrame)
	default:
		return false
	}
	return true
}

// finalizationFailed reports that the finalizer refuses an input. From 13.1 on the message
// includes the reason (KIT-131).
func (m *merged) finalizationFailed(o *object.Object, reason string, log *diag.Log) {
	if m.Target.Profile.Accept.TellsFailures {
		log.Report(diag.FinalizationFailed, reason)
		log.Report(diag.ElfLinkFinalization)
		return
	}
	log.Report(diag.FinalizerFailed, o.Name)
}

// checkBare refuses relocations of bare Mercury code (MERC-304). Later releases treat them as those of a
// Mercury half (KIT-098), and fail on invalid ones.
func (in *merger) checkBare() bool {
	kind := in.object.File.Flags & (cubin.CodeKindMercury | cubin.CodeKindCapsule | cubin.CodeKindSASS)
	bare := kind == cubin.CodeKindMercury || in.HasMercury() && kind == cubin.CodeKindMercury|cubin.CodeKindSASS
	if bare && in.object.HasMercury() {
		for i := range in.object.File.Sections {
			relocations := in.object.Relocations(uint32(i))
			if relocations.Len() == 0 || in.object.File.Sections[i].Type == cubin.SectionMercRela {
				continue
			}
			fault := "unexpected reloc"
			for k := range relocations.Len() {
				r, _ := relocations.At(k)
				if _, known := reloc.LookupMercury(r.Type); !known && in.Target.Profile.Accept.RefusesUnknown {
					fault = "internal error"
				}
			}
			in.log.Report(diag.InternalError, fault)
			return false
		}
	}
	return true
}
