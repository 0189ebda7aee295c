package mercury

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Code of 12.8 and 12.9 differs from later code in four ways. A WARPSYNC is two machine instructions, itself and a NOP; later
// finalizers remove the NOP (MERC-108). NOPs that take time are in another order (MERC-109). Another shift computes the operand
// of a barrier (MERC-252). The result of that barrier is read after its Mercury instruction and not in it (MERC-253).

// withoutNOPs returns steps without the NOPs after a WARPSYNC. c is the capsule of the code. In optimized code a NOP is kept if
// it waits, or if the WARPSYNC cannot stall for its time as well. Otherwise the WARPSYNC gets the stall of the NOP, except for
// the one cycle that every instruction takes; stall.Early adds that cycle where it is needed. In unoptimized code every
// instruction waits for all others, and the WARPSYNC does not change.
func withoutNOPs(c *capsule.Capsule, steps []codemap.Step, optimized bool) []codemap.Step {
	return changeEach(c, steps, func(_ capsule.Mercury, own []codemap.Step) []codemap.Step {
		if len(own) != 2 || !precedesNOP(own[0].Instr, own[1].Instr) || optimized && !replacesNOP(own[0].Instr, own[1].Instr) {
			return own
		}
		if stall := own[1].Stall(); optimized && stall > 1 { // every instruction takes one cycle
			own[0].Instr = own[0].WithBoundedStall(own[0].Stall() + stall).YieldingIfLong()
		}
		own[0].Absorbs = true
		return own[:1]
	})
}

// changeEach applies change to the steps of each Mercury instruction of c and returns all steps. Steps after
// the last Mercury instruction do not change.
func changeEach(c *capsule.Capsule, steps []codemap.Step, change func(m capsule.Mercury, own []codemap.Step) []codemap.Step) []codemap.Step {
	kept, first := make([]codemap.Step, 0, len(steps)), 0
	for m, own := range ofEach(c, steps) {
		kept = append(kept, change(m, own)...)
		first += len(own)
	}
	return append(kept, steps[first:]...)
}

// ofEach yields each Mercury instruction of c with its steps.
func ofEach(c *capsule.Capsule, steps []codemap.Step) iter.Seq2[capsule.Mercury, []codemap.Step] {
	return func(yield func(capsule.Mercury, []codemap.Step) bool) {
		rest := steps
		for _, m := range c.Instructions() {
			n := 0
			for n < len(rest) && rest[n].Old < m.First+m.Count {
				n++
			}
			if !yield(m, rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// precedesNOP reports whether x is a WARPSYNC and next is a NOP.
func precedesNOP(x, next machine.Instr) bool {
	return x.Op() == sass.OpWARPSYNC && !x.Collective() && next.Op() == sass.OpNOP
}

// replacesNOP reports whether x can stall for the time of next, a NOP, as well as for its own. next must wait for nothing.
func replacesNOP(x, next machine.Instr) bool {
	return next.WaitMask() == 0 && x.Stall()+next.Stall() <= machine.LongestStall
}

// orderNOPs puts NOPs in the order of later compilers (MERC-109). The input counts as if it had this order: stalls that are
// computed from those of the input keep it.
func (w *work) orderNOPs() Changes {
	if !remainderLast(w.steps) {
		return Clean
	}
	for _, x := range w.steps {
		if x.Op() == sass.OpNOP && !x.Inserted {
			w.code[x.Old] = x.Instr
		}
	}
	return Waits
}

// remainderLast moves the shortest of several NOPs that take time to the end; early compilers have it first. A single such NOP
// next to an instruction with the longest stall is made to yield (MERC-109). The result reports whether anything changed.
func remainderLast(steps []codemap.Step) (changed bool) {
	fills := func(k int) bool { return k >= 0 && k < len(steps) && steps[k].Stall() == machine.LongestStall }
	for i := 0; i < len(steps); i++ {
		n := 0
		for i+n < len(steps) && steps[i+n].Op() == sass.OpNOP && steps[i+n].WaitMask() == 0 && (n == 0 || fills(i+n)) {
			n++
		}
		stall := steps[i].Stall()
		switch {
		case n == 1 && (fills(i-1) || fills(i+1)) && !steps[i].Yields():
			steps[i].Instr = steps[i].WithYield(true)
			changed = true
		case n > 1 && stall < machine.LongestStall:
			steps[i].High = steps[i+n-1].High
			steps[i+n-1].Instr = steps[i+n-1].WithStall(steps[i+n-1].Stall() - (machine.LongestStall - stall))
			changed = true
		}
		i += max(n-1, 0)
	}
	return changed
}

// renewShifts replaces the shifts that compute the operand of a BAR in its Mercury instruction. Early compilers shift a pair of
// words whose low word is zero, and keep the high one. The result reports whether there are any such shifts (MERC-252).
func renewShifts(c *capsule.Capsule, steps []codemap.Step) (changed bool) {
	for _, own := range ofEach(c, steps) {
		if !hasBarrier(own) {
			continue
		}
		for i := range own {
			if low, ok := shiftOfLow(own[i].Instr); ok {
				own[i].Instr, changed = low, true
			}
		}
	}
	return changed
}

// hasBarrier reports whether a BAR is among steps.
func hasBarrier(steps []codemap.Step) bool {
	return slices.ContainsFunc(steps, func(x codemap.Step) bool { return x.Op() == sass.OpBAR })
}

// shiftOfLow returns SHF.R.U32 R, R', n, RZ in place of the equivalent SHF.R.U32.HI R, RZ, n, R'.
func shiftOfLow(x machine.Instr) (machine.Instr, bool) {
	const (
		form, formBits = 0x819, 0xfff // with a number
		zero           = 0xff         // RZ
		right, high    = 0x116 << 8, 1 << (80 - 64)
		modifiers      = 0xfffff << 8
	)
	if x.Low&formBits != form || x.Low>>24&0xff != zero || x.High&modifiers != right {
		return x, false
	}
	low, from := x.Low&^(0xff<<24), x.High&0xff
	return machine.Word(low|from<<24, x.High&^high|zero), true
}

// withResults returns steps in which each B2R that reads the result of a BAR comes before the ENDCOLLECTIVE of its Mercury
// instruction. c is the capsule of the code. Early compilers put the B2R after that (MERC-253).
func withResults(c *capsule.Capsule, steps []codemap.Step) []codemap.Step {
	out, first := make([]codemap.Step, 0, len(steps)), 0
	gives := false // the previous instructions end with a barrier that has a result
	for m, own := range ofEach(c, steps) {
		n := len(own)
		first += n
		switch end := len(out) - 1; {
		case n == 0: // no machine instruction
		case gives && m.Record == nil && n == 1 && own[0].Op() == sass.OpB2R:
			out = slices.Insert(out, end, codemap.Step{Instr: own[0].Instr, Old: out[end].Old, Inserted: true})
			gives = false
		default:
			out = append(out, own...)
			gives = n > 1 && own[n-1].Op() == sass.OpENDCOLLECTIVE && hasBarrier(own)
		}
	}
	return append(out, steps[first:]...)
}
