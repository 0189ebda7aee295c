package mercury

import (
	"encoding/binary"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// immediate is the kind of operands of an instruction with a number of 32 bits.
const immediate = 0x800

// movesNumber reports whether an instruction moves a number of 32 bits into a register. low is its first word.
func movesNumber(low uint64) bool {
	form := low & 0xfff
	return form == sass.OpMOV|immediate || form == sass.OpUMOV|immediate
}

// MovePlaces updates the places in the code of a function that its instructions hold: return places, and addresses of
// functions inside of a kernel of an extensible whole program. Only relocations of the Mercury half name these
// instructions (MERC-751). code is the code of the input, and named has the offsets of the relocations in its Mercury
// form.
func (r *Result) MovePlaces(code *capsule.Code, named []uint64) {
	moved := map[uint64]bool{} // by offset in the text
	for _, offset := range named {
		s, ok := code.Holding(offset)
		if !ok {
			continue
		}
		from := r.Map.Offset(s.Own)
		if from >= uint64(len(r.Text)) || uint64(len(r.Text))-from < sass.Size || moved[from] {
			continue // a damaged capsule, or named twice
		}
		moved[from] = true
		at := r.Text[from:]
		if movesNumber(binary.LittleEndian.Uint64(at)) {
			place := uint64(binary.LittleEndian.Uint32(at[4:]))
			binary.LittleEndian.PutUint32(at[4:], uint32(r.Map.Offset(place)))
		}
	}
}

// instructions returns the code of the steps, with the return places of calls inside of it where m has them. The
// instructions that hold these follow the code only after the finalizer (MovePlaces).
func (w *work) instructions(m codemap.Map) ([]machine.Instr, error) {
	list, err := m.Instructions(w.steps, capsule.Place{})
	if err != nil {
		return nil, err
	}
	for i, x := range list {
		if !movesNumber(x.Low) || w.steps[i].Inserted {
			continue
		}
		const place = 32 // the first bit of the operand
		if to := x.Low >> place; to%machine.Size == 0 && to > 0 && to/machine.Size <= uint64(len(w.code)) && w.code[to/machine.Size-1].IsCall() {
			list[i].Low = x.Low&(1<<place-1) | m.Offset(to)<<place
		}
	}
	return list, nil
}
