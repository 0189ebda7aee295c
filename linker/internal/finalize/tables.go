package finalize

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// moveTables updates the jump tables for moved code. If replaced code left relocations, a word can have
// several of them. Constants that were moved to the bank of a kernel have their bytes in that bank.
func (l *Finalized) moveTables() {
	for _, s := range l.Sections {
		if s.Bank != cubin.CompilerBankNumber || s.Mercury == nil || s.Dead() || s.State == program.Gone {
			continue
		}
		moved := map[uint64]bool{}
		for _, r := range s.Mercury.Relocations {
			if y := r.Symbol; y != nil && y.Fn != nil && l.places[y.Fn].Moved() && !moved[r.Offset] {
				moved[r.Offset] = true
				l.places[y.Fn].Words(s.Writable(), []uint64{r.Offset})
			}
		}
	}
}

// fillTables fills in the jump tables of code that is not linked, as the finalizer does. It knows the place
// of a label only if a table of the same name in the linked code has that label. For other labels it writes
// 0. If several relocations change one word, the last one in the file is used (MERC-226). In nvlink such a
// relocation can also replace one of the linked code, whose branches then lead elsewhere. culink keeps the
// one of the linked code (E-349).
func fillTables(s *program.Section) {
	if s.Mercury == nil || s.Bank != cubin.CompilerBankNumber {
		return
	}
	type label struct {
		code   *program.Symbol
		offset int64 // in the Mercury form
	}
	relocations := s.Mercury.Relocations
	inside := func(r *program.Relocation) bool { return r.Offset+4 <= s.Held() }
	if !slices.ContainsFunc(relocations, func(r program.Relocation) bool { return r.Stale }) {
		return
	}
	data := s.Writable()
	known := map[label]uint32{}
	if s.Orphan && s.Fn != nil { // the tables of the linked code are in another section (MERGE-691)
		if own := s.Fn.Own(cubin.CompilerConstantPrefix); own != nil && own != s && own.Mercury != nil {
			table := own.Bytes()
			for _, r := range own.Mercury.Relocations {
				if !r.Stale && r.Offset+4 <= uint64(len(table)) {
					known[label{r.Symbol, r.Addend}] = binary.LittleEndian.Uint32(table[r.Offset:])
				}
			}
		}
	}
	linked := map[uint64]bool{} // words that the linked code fills in
	for i := range relocations {
		if r := &relocations[i]; !r.Stale && inside(r) {
			known[label{r.Symbol, r.Addend}] = binary.LittleEndian.Uint32(data[r.Offset:])
			linked[r.Offset] = true
		}
	}
	for i := range slices.Backward(relocations) {
		if r := &relocations[i]; inside(r) && !linked[r.Offset] {
			binary.LittleEndian.PutUint32(data[r.Offset:], known[label{r.Symbol, r.Addend}])
		}
	}
}
