package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A link for debuggers waits for errors of memory before each EXIT, so that they are told
// with the place: the finalizer puts MEMBAR.SC.VC, ERRBAR and CGAERRBAR there. Code that
// was compiled with -G has them. In another link they go, if they came by a link before
// (MERC-123).

// exitBarriers is how many instructions stand before an EXIT.
const exitBarriers = 3

// unoptimized is the stall of code that was compiled without optimisation: each
// instruction waits for the one before.
const unoptimized = 15

// barriersBefore returns what stands before exit, on the same condition.
func barriersBefore(exit machine.Instr) []machine.Instr {
	guard := exit.Low & 0xf000
	errbar := sass.Instruction{Low: 0x9ab | guard, High: 0x000fc00000000000}
	cluster := sass.Instruction{Low: 0x5ab | guard, High: 0x000fec0000000000}
	if exit.Stall() == unoptimized {
		errbar = errbar.WithWaitMask(exit.WaitMask())
		cluster = cluster.WithControlOf(exit.Instruction)
	}
	return []machine.Instr{
		machine.Word(0x992|guard, 0x000fc00000000000|membarSCVC<<8),
		{Instruction: errbar},
		{Instruction: cluster},
	}
}

// exitRecord is the Mercury form of an EXIT, which stands in a capsule when it becomes
// several machine instructions: its guard and its operand, each a predicate and a bit that
// negates it.
func exitRecord(exit machine.Instr) []byte {
	record := make([]byte, 16)
	copy(record, []byte{0x01, 0x11, 0x00, 0x0a})
	record[4] = guardByte(exit)
	record[11] = predicateByte(exit.High>>(87-64)&7) | byte(exit.High>>(90-64)&1)
	return record
}

// guardByte is the condition of an instruction in Mercury form.
func guardByte(x machine.Instr) byte { return predicateByte(x.Low>>12&7) | byte(x.Low>>15&1) }

func predicateByte(number uint64) byte {
	if number == 7 { // always
		return 0xf8
	}
	return byte(number << 3)
}

// atExits returns code with the barriers before each EXIT that a link for debuggers has, or
// without them. capsule is that of code.
func (c *Capsule) atExits(code []machine.Instr, wanted bool) []step {
	steps := make([]step, 0, len(code))
	for _, m := range c.Instructions() {
		own := code[min(m.First, len(code)):min(m.First+m.Count, len(code))]
		exit := m.Count > 0 && len(own) == m.Count && own[len(own)-1].Op() == sass.OpEXIT
		switch {
		case exit && wanted && m.Count == 1:
			restall(steps, stallBeforeExit, stallBeforeBarrier)
			for _, x := range barriersBefore(own[0]) {
				steps = append(steps, step{Instr: x, old: m.First, inserted: true})
			}
			if own[0].Stall() != unoptimized {
				steps = append(steps, step{Instr: own[0].WithStall(stallOfExit), old: m.First})
				continue
			}
		case exit && !wanted && m.Count == 1+exitBarriers:
			restall(steps, stallBeforeBarrier, stallBeforeExit)
			steps = append(steps, step{Instr: own[exitBarriers], old: m.First + exitBarriers})
			continue
		}
		for i, x := range own {
			steps = append(steps, step{Instr: x, old: m.First + i})
		}
	}
	return steps
}

// stallOfExit is the stall of an EXIT behind barriers; without them the compiler gives it more after a store or a fence.
const stallOfExit = 5

// Cycles that a write to a surface takes before what comes next.
const stallBeforeExit, stallBeforeBarrier = 2, 1

// restall changes the stall of the last step, if that writes to a surface.
func restall(steps []step, from, to int) {
	if len(steps) == 0 {
		return
	}
	x := &steps[len(steps)-1].Instr
	if x.WritesSurface() && x.Stall() == from {
		*x = x.WithStall(to)
	}
}

// WaitsAtExit reports whether there are barriers before an EXIT in the machine code of a
// capsule. Of what is damaged it does not.
func WaitsAtExit(text, capsule []byte) bool {
	code := body(text[:len(text)/InstructionSize*InstructionSize])
	if !slices.ContainsFunc(code, func(x machine.Instr) bool { return x.Op() == sass.OpERRBAR }) {
		return false
	}
	c, err := OpenCapsule(capsule, Place{})
	if err != nil {
		return false
	}
	for _, m := range c.Instructions() {
		if last := m.First + m.Count - 1; m.Count > 1 && last < len(code) && code[last].Op() == sass.OpEXIT {
			return true
		}
	}
	return false
}

// LetsNextStart reports whether machine code has an instruction that lets the kernel after
// this one start before this one ends.
func LetsNextStart(text []byte) bool {
	for ; len(text) >= InstructionSize; text = text[InstructionSize:] {
		if machine.Decode(text).Op() == sass.OpPREEXIT {
			return true
		}
	}
	return false
}
