package finalize

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/reloc"
)

// The compiler of an extensible whole program knows all code that a kernel calls, and puts it inside the kernel. It finalizes
// the kernel as a final link finalizes a leaf kernel.

// reopens reports whether nvlink changes the code of fn because it does not rely on that knowledge. It does not with -r and with
// -g: calls wait for the stack pointer again, and work-arounds before fences return (MERC-750).
func (l *Finalized) reopens(fn *program.Function) bool {
	return fn.Extensible && fn.Entry && !fn.Dead && fn.Text != nil && fn.Text.Mercury != nil &&
		(l.Options.Relocatable || l.Options.DebugSymbols()) && mercury.IsClosed(fn.Text.Bytes(), fn.MadeFor)
}

// moveParts updates the places of functions that are a part of another function's code (MERC-270).
func (l *Finalized) moveParts() {
	if len(l.places) == 0 {
		return
	}
	for _, y := range slices.Concat(l.Locals, l.Globals) {
		if y.Section == nil || y.Section.Fn == nil || y == y.Section.Fn.Symbol || y.Type != cubin.SymFunc || y.Value == 0 {
			continue
		}
		if m, ok := l.places[y.Section.Fn]; ok {
			end := m.Offset(y.Value + y.Size)
			y.Value = m.Offset(y.Value)
			y.Size = end - y.Value
		}
	}
}

// movePlaces updates the places in the code of f that its instructions hold (MERC-751).
func movePlaces(f *program.Function, result mercury.Result) {
	var named []uint64
	for _, r := range f.Text.Mercury.Relocations {
		if r.Symbol == f.Symbol && r.Type == reloc.MercuryProgRel32 {
			named = append(named, r.Offset)
		}
	}
	if len(named) == 0 {
		return
	}
	if opened, err := capsule.Open(f.Text.Mercury.Bytes(), capsule.Place{}); err == nil {
		result.MovePlaces(opened.Code(f.Text.Bytes()), named)
	}
}
