package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// The compiler places the slots of an extensible whole program itself (ptxas -ewp). Its parameter banks have the slots
// and their relocations, and its code has no relocations for them. Beside a Mercury half nvlink places these slots
// after the largest parameters of the output, like all others, and the finalizer changes the code (LAYOUT-711).

// A SlotMove is a part of the parameter bank that the code of a kernel reads at another place than its compiler knew.
type SlotMove struct {
	Fn       *program.Function
	From, To uint64 // the part, as the compiler placed it
	By       uint64 // what is added
}

// takeSlots finds the parameter banks that already have slots, and moves these slots beside a Mercury half.
func (l *Placed) takeSlots() {
	start := l.startOfHandles()
	for _, e := range l.Kernels {
		s := e.Parameters()
		if s == nil {
			continue
		}
		if slices.ContainsFunc(s.Relocations, program.Relocation.IsSlot) {
			l.HandleBanks = append(l.HandleBanks, s)
		} else if !s.HasSlots {
			continue
		}
		if s.Mercury != nil {
			l.moveSlots(s, start)
		}
		for _, r := range s.Relocations {
			if _, known := l.Slots[r.Symbol]; r.IsSlot() && !known {
				if l.Slots == nil {
					l.Slots = map[*program.Symbol]uint64{}
				}
				l.Slots[r.Symbol] = r.Offset
			}
		}
	}
}

// moveSlots moves the slots of parameter bank s to start.
func (l *Placed) moveSlots(s *program.Section, start uint64) {
	from := s.Fn.SlotStart
	move := SlotMove{Fn: s.Fn, From: from, To: from + innerSlots(s), By: start - from}
	if move.By != 0 {
		l.SlotMoves = append(l.SlotMoves, move)
		for i := range s.Relocations {
			if r := &s.Relocations[i]; r.IsSlot() {
				r.Offset += move.By
			}
		}
	}
	s.Size = start + s.Mercury.Size
	s.FillUp()
}

// innerSlots returns the size of the slots that parameter bank s has in the Mercury half.
func innerSlots(s *program.Section) uint64 {
	if s.Mercury == nil {
		return 0
	}
	return min(s.Mercury.Size, s.Size)
}

// endOfBanks returns the offset of the first slot that no parameter bank has yet. start is the offset at which the
// slots begin.
func (l *Placed) endOfBanks(start uint64) uint64 {
	for _, s := range l.HandleBanks {
		start = max(start, cubin.AlignUp(s.Size, handleSlotSize))
	}
	return start
}
