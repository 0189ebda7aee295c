package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A boardSet is a set of scoreboards, a bit each.
type boardSet uint8

func (s boardSet) has(b int) bool { return s>>b&1 == 1 }

// boardOfBulkCopies counts the groups of bulk copies that a kernel commits. The compiler reserves it in
// each function with an UTMACMDFLUSH, even if that ends a fence and no DEPBAR waits for groups (MERC-257).
const boardOfBulkCopies = 0

// countedBoards returns the scoreboards on which a DEPBAR waits for a count. Their instructions are groups of copies to shared
// memory, or complete in order. Groups of copies count even without a DEPBAR. The compiler reserves these scoreboards before it
// assigns the others, and the finalizer keeps them. A program can also wait for groups that it never forms; that scoreboard is
// then like any other. known is false if a DEPBAR waits for several scoreboards, but not for all (MERC-256), or for an asynchronous
// reduction on a reserved scoreboard.
func countedBoards(code []machine.Instr) (s boardSet, known bool) {
	waited, comesInOrder, ofReductions := boardSet(0), boardSet(0), boardSet(0)
	for i, x := range code {
		switch x.Op() {
		case sass.OpDEPBAR:
			if awaitsReduction(code, i) {
				ofReductions |= 1 << x.CountsOn()
				continue
			}
			if MakesRoom(code, i) || x.AwaitsEveryBoard() {
				continue
			}
			const several, counts = 0x3f << 32, 1 << 47
			if x.Low&several != 0 || x.Low&counts == 0 {
				return 0, false
			}
			waited |= 1 << x.CountsOn()
		case sass.OpLDGDEPBAR:
			s |= 1 << x.WriteBarrier()
		case sass.OpUTMACMDFLUSH:
			if !isUncountedFlush(x) {
				s |= 1 << boardOfBulkCopies
			}
		default:
			if x.MayComeInOrder() {
				comesInOrder |= 1<<x.WriteBarrier() | 1<<x.ReadBarrier()
			}
		}
	}
	s |= waited & comesInOrder
	return s, s&ofReductions == 0
}

// MakesRoom reports whether instruction i is the DEPBAR directly before a search for free columns of tensor memory. Both are part
// of one Mercury instruction. The DEPBAR waits only until the scoreboard of the search can count another result (MERC-240).
func MakesRoom(code []machine.Instr, i int) bool {
	return code[i].Op() == sass.OpDEPBAR && i+1 < len(code) && code[i+1].Op() == sass.OpUTCATOMSWS && code[i].CountsOn() == code[i+1].WriteBarrier()
}

// awaitsFence reports whether instruction i is a DEPBAR that waits for the counted fence before it, at the end of a block (MERC-255).
func awaitsFence(code []machine.Instr, i int) bool {
	return i > 0 && code[i].AwaitsFence(code[i-1])
}
