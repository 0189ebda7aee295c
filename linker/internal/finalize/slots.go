package finalize

import (
	"encoding/binary"

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
	code := text.Writable()
	for ; len(code) >= sass.Size; code = code[sass.Size:] {
		x := sass.Decode(code)
		at, known := loadAt[x.Opcode()]
		if !known || x.Field(bankAt, bankWidth) != 0 {
			continue
		}
		if from := x.Field(at, offsetWidth); move.From <= from && from < move.To {
			x.Low = x.Low&^(offsetMask<<at) | (from+move.By)&offsetMask<<at
			binary.LittleEndian.PutUint64(code, x.Low)
		}
	}
}

// loadAt has the place of the offset in each instruction that loads from a constant bank at a fixed offset.
var loadAt = map[uint16]uint{
	sass.OpLDC | 5<<9:  38,
	sass.OpLDCU | 3<<9: 37,
}

const (
	offsetMask        = 1<<offsetWidth - 1
	offsetWidth       = 16
	bankAt, bankWidth = 54, 5
)
