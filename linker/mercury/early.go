package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Up to 12.9 a WARPSYNC stands for two machine instructions: itself and a NOP, which later finalizers leave out (MERC-108).
// NOPs that take time stand in another order (MERC-109).

// withoutNOPs returns steps, of the code of c, without the NOPs after a WARPSYNC. In optimized code a NOP that waits, or
// whose time the WARPSYNC cannot take, stays; the WARPSYNC stalls for it, except for the one cycle that each instruction
// takes, which retimeEarly adds where it is needed. In other code every instruction waits for all, and the WARPSYNC stays
// as it is.
func withoutNOPs(c *capsule.Capsule, steps []codemap.Step, optimized bool) []codemap.Step {
	return changeEach(c, steps, func(_ capsule.Mercury, own []codemap.Step) []codemap.Step {
		if len(own) != 2 || !precedesNOP(own[0].Instr, own[1].Instr) || optimized && !replacesNOP(own[0].Instr, own[1].Instr) {
			return own
		}
		if stall := own[1].Stall(); optimized && stall > 1 { // one cycle is what each instruction takes
			own[0].Instr = own[0].WithBoundedStall(own[0].Stall() + stall).YieldingIfLong()
		}
		own[0].Absorbs = true
		return own[:1]
	})
}

// changeEach returns steps, of the code of c, with what change makes of those of each Mercury instruction, and those after
// the last one.
func changeEach(c *capsule.Capsule, steps []codemap.Step, change func(m capsule.Mercury, own []codemap.Step) []codemap.Step) []codemap.Step {
	kept := make([]codemap.Step, 0, len(steps))
	for _, m := range c.Instructions() {
		n := 0
		for n < len(steps) && steps[n].Old < m.First+m.Count {
			n++
		}
		own := steps[:n]
		steps = steps[n:]
		kept = append(kept, change(m, own)...)
	}
	return append(kept, steps...)
}

// precedesNOP reports whether x is a WARPSYNC and next is a NOP.
func precedesNOP(x, next machine.Instr) bool {
	return x.Op() == sass.OpWARPSYNC && !x.Collective() && next.Op() == sass.OpNOP
}

// replacesNOP reports whether x can stall for NOP next, which waits for nothing.
func replacesNOP(x, next machine.Instr) bool {
	return next.WaitMask() == 0 && x.Stall()+next.Stall() <= machine.LongestStall
}

// remainderLast puts the shortest of several NOPs that take time last, where early compilers have it first, lets one
// alone beside the longest stall say of other warps what a long stall does (MERC-109), and reports whether there are any.
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

// renewShifts writes the shifts anew that make the operand of a BAR, of one Mercury instruction with it, where early
// compilers shift the high one of two words, the low one of which is zero; it reports whether there are any (MERC-252).
func renewShifts(c *capsule.Capsule, steps []codemap.Step) (changed bool) {
	changeEach(c, steps, func(_ capsule.Mercury, own []codemap.Step) []codemap.Step {
		if slices.ContainsFunc(own, func(x codemap.Step) bool { return x.Op() == sass.OpBAR }) {
			for i := range own {
				if low, ok := shiftOfLow(own[i].Instr); ok {
					own[i].Instr, changed = low, true
				}
			}
		}
		return own
	})
	return changed
}

// shiftOfLow returns SHF.R.U32 R, R', n, RZ for SHF.R.U32.HI R, RZ, n, R', which does the same.
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

// withResults returns steps, of the code of c, with each B2R that reads what a BAR gave before the ENDCOLLECTIVE of that, and
// of one Mercury instruction with it, which early compilers have after it (MERC-253).
func withResults(c *capsule.Capsule, steps []codemap.Step) []codemap.Step {
	moved := cfg.NewSet(len(steps)) // by place in steps, each B2R
	end := -1                       // of a Mercury instruction that gives something
	first := 0
	changeEach(c, steps, func(m capsule.Mercury, own []codemap.Step) []codemap.Step {
		if first == end && m.Record == nil && len(own) == 1 && own[0].Op() == sass.OpB2R {
			moved.Add(first)
		}
		first += len(own)
		if n := len(own); n > 1 && own[n-1].Op() == sass.OpENDCOLLECTIVE && slices.ContainsFunc(own, func(x codemap.Step) bool { return x.Op() == sass.OpBAR }) {
			end = first
		}
		return own
	})
	out := make([]codemap.Step, 0, len(steps))
	for i, x := range steps {
		if n := len(out); moved.Has(i) {
			result := codemap.Step{Instr: x.Instr, Old: out[n-1].Old, Inserted: true}
			out = slices.Insert(out, n-1, result)
			continue
		}
		out = append(out, x)
	}
	return out
}
