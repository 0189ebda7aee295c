package merge

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// mergeUnified records the symbols of unified functions or variables, which section i of the input lists
// (LAYOUT-115).
func (in *merger) mergeUnified(i uint32) {
	p := in.places[i]
	if p.state != placed || p.inMercury() {
		return // the copy has the same records
	}
	p.section.Linked = true
	data := in.object.Data(i)
	for at := 0; at+cubin.UnifiedEntrySize <= len(data); at += cubin.UnifiedEntrySize {
		if y := in.symbolOf[binary.LittleEndian.Uint32(data[at:])]; y != nil {
			in.Unified = append(in.Unified, program.UnifiedEntry{Section: p.section, Offset: p.base + uint64(at), Symbol: y})
		}
	}
}
