package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A boardSet is a set of scoreboards, a bit each.
type boardSet uint8

func (s boardSet) has(b int) bool { return s>>b&1 == 1 }

// countedBoards returns the scoreboards that DEPBAR waits for until few enough are under
// way: groups of copies to shared memory, also where nothing waits for them, or results that come in order. The compiler
// sets these aside before it hands out the others, and the finalizer leaves them. One on which there are neither, as where
// a program waits for groups that it does not make, is like any other. It is not
// known where DEPBAR waits for several scoreboards.
func countedBoards(code []machine.Instr) (s boardSet, known bool) {
	waited, comesInOrder := boardSet(0), boardSet(0)
	for i, x := range code {
		switch x.Op() {
		case sass.OpDEPBAR:
			if MakesRoom(code, i) {
				continue
			}
			const several, counts = 0x3f << 32, 1 << 47
			if x.Low&several != 0 || x.Low&counts == 0 {
				return 0, false
			}
			waited |= 1 << x.CountsOn()
		case sass.OpLDGDEPBAR:
			s |= 1 << x.WriteBarrier()
		default:
			if x.MayComeInOrder() {
				comesInOrder |= 1<<x.WriteBarrier() | 1<<x.ReadBarrier()
			}
		}
	}
	return s | waited&comesInOrder, true
}

// MakesRoom reports whether instruction i is the DEPBAR before a search for free columns of tensor memory: of one Mercury instruction with
// it, it waits until there is room for its results on the scoreboard that these have, and for nothing else (MERC-240).
func MakesRoom(code []machine.Instr, i int) bool {
	return code[i].Op() == sass.OpDEPBAR && i+1 < len(code) && code[i+1].Op() == sass.OpUTCATOMSWS && code[i].CountsOn() == code[i+1].WriteBarrier()
}

// awaitsFence reports whether instruction i is a DEPBAR that waits for the counted fence before it, at the end of a block (MERC-255).
func awaitsFence(code []machine.Instr, i int) bool {
	return code[i].Op() == sass.OpDEPBAR && code[i-1].IsCountedFence() && code[i].CountsOn() == code[i-1].ReadBarrier()
}
