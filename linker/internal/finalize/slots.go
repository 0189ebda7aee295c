package finalize

import (
	"github.com/culink/culink/linker/internal/layout"
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
