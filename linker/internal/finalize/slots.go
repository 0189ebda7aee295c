package finalize

import (
	"slices"

	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/sass"
)

// moveSlots changes the loads of moved slots in the code of an extensible whole program (LAYOUT-711). Its code has no
// relocations for slots. The compiler reads each slot by an LDC or LDCU of its own.
func moveSlots(move layout.SlotMove) {
	text := move.Fn.Text
	if text == nil {
		return
	}
	sass.MoveConstantLoads(text.Writable(), move.From, move.To, move.By)
}

// moveFirstSlot changes the loads of unoptimized code that adds the distance of a slot from the first one to the place
// of that one (MERC-250), if that is not where the compiler expected it (MERC-930).
func (l *Finalized) moveFirstSlot(fn *program.Function) {
	by := l.HandleStart - fn.SlotStart
	if l.HandleStart == 0 || fn.SlotStart == 0 || by == 0 || fn.Dead || fn.Text == nil || !slices.ContainsFunc(fn.Text.Relocations, isDistance) {
		return
	}
	sass.MoveConstantLoads(fn.Text.Writable(), fn.SlotStart, fn.SlotStart+1, by)
}

// isDistance reports whether a relocation writes the distance of a slot from the first one.
func isDistance(r program.Relocation) bool {
	return r.IsSlot() && r.Type == reloc.Abs16At32
}
