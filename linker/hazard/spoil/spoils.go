// Package spoil damages schedules, each in one way, and counts the verdicts of package hazard on them.
//
// A damaged schedule that the checker still considers safe must be harmless: package adversary, which
// follows code in another way, must find no path that fails.
package spoil

import (
	"math/rand/v2"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// A Kind is a way to damage the schedule of a function, at one instruction or everywhere.
type Kind struct {
	Name  string
	whole bool // it changes all instructions, whatever i is
	// apply changes code at instruction i, and reports whether that changed anything.
	apply func(rng *rand.Rand, code []sass.Instruction, i int) bool
}

// tries is the number of instructions that Spoil tries at random to find one that the damage changes.
const tries = 40

// Spoil returns f with a damaged schedule, and the index of a changed instruction. ok is false if there was
// nothing to change.
func (k *Kind) Spoil(f hazard.Function, rng *rand.Rand) (spoiled hazard.Function, at int, ok bool) {
	var code []sass.Instruction
	for text := f.Text; len(text) >= sass.Size; text = text[sass.Size:] {
		code = append(code, sass.Decode(text))
	}
	for range tries {
		if at = rng.IntN(len(code)); !k.apply(rng, code, at) {
			continue
		}
		f.Text = nil
		for _, x := range code {
			f.Text = x.Append(f.Text)
		}
		return f, at, true
	}
	return f, 0, false
}

// boards is the number of scoreboards.
const boards = 6

// control changes the control fields of x and reports whether they differ.
func control(x *sass.Instruction, change func(c *sass.Control)) bool {
	c, before := x.Control(), *x
	change(&c)
	*x = x.WithControl(c)
	return *x != before
}

// set changes bits of x and reports whether they differ.
func set(x *sass.Instruction, at, width uint, v uint64) bool {
	mask := uint64(1)<<width - 1
	before := *x
	if at < 64 {
		x.Low = x.Low&^(mask<<at) | v<<at
	} else {
		x.High = x.High&^(mask<<(at-64)) | v<<(at-64)
	}
	return *x != before
}

// other returns the next scoreboard.
func other(board int) int {
	if board == sass.NoBarrier {
		return board
	}
	return (board + 1) % boards
}

// Kinds contains all kinds, in the order of tables.
var Kinds = []Kind{
	{Name: "a wait is removed", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Wait = 0 })
	}},
	{Name: "a bit of a wait is cleared", apply: func(rng *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Wait &^= 1 << rng.IntN(boards) })
	}},
	{Name: "a wait is for another scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Wait = c.Wait<<1&(1<<boards-1) | c.Wait>>(boards-1) })
	}},
	{Name: "DEPBAR leaves one more under way", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		const opcode, has, countAt, countBits = 0x91a, 47, 38, 6
		x := &code[i]
		return x.Opcode() == opcode && x.Bit(has) && set(x, countAt, countBits, x.Field(countAt, countBits)+1)
	}},
	{Name: "results are counted on another scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Write = other(c.Write) })
	}},
	{Name: "results are counted on no scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Write = sass.NoBarrier })
	}},
	{Name: "operands are counted on another scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Read = other(c.Read) })
	}},
	{Name: "operands are counted on no scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return control(&code[i], func(c *sass.Control) { c.Read = sass.NoBarrier })
	}},
	{Name: "the scoreboards of results and operands are swapped", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		x := &code[i]
		return x.WriteBarrier() != sass.NoBarrier && x.ReadBarrier() != sass.NoBarrier && control(x, func(c *sass.Control) { c.Write, c.Read = c.Read, c.Write })
	}},
	{Name: "a scoreboard is reused while it is pending", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		if code[i].WriteBarrier() == sass.NoBarrier {
			return false
		}
		for k := i - 1; k >= 0; k-- {
			if b := code[k].WriteBarrier(); b != sass.NoBarrier && b != code[i].WriteBarrier() {
				return control(&code[i], func(c *sass.Control) { c.Write = b })
			}
		}
		return false
	}},
	{Name: "an operand is overwritten", apply: overwrite},
	{Name: "a stall is one cycle", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return code[i].Stall() > 1 && control(&code[i], func(c *sass.Control) { c.Stall = 1 })
	}},
	{Name: "a stall is a cycle less", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return code[i].Stall() > 1 && control(&code[i], func(c *sass.Control) { c.Stall-- })
	}},
	{Name: "every stall is one cycle", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = control(&code[i], func(c *sass.Control) { c.Stall = 1 }) || changed
		}
		return changed
	}},
	{Name: "no instruction waits", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = control(&code[i], func(c *sass.Control) { c.Wait = 0 }) || changed
		}
		return changed
	}},
	{Name: "no results are counted", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = control(&code[i], func(c *sass.Control) { c.Write = sass.NoBarrier }) || changed
		}
		return changed
	}},
	{Name: "no operands are counted", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = control(&code[i], func(c *sass.Control) { c.Read = sass.NoBarrier }) || changed
		}
		return changed
	}},
}

// overwrite makes one of the next instructions overwrite an operand of instruction i, if a scoreboard counts
// that operand.
func overwrite(rng *rand.Rand, code []sass.Instruction, i int) bool {
	const firstAt, secondAt, resultAt, bits, soon = 24, 32, 16, 8, 4
	if code[i].ReadBarrier() == sass.NoBarrier {
		return false
	}
	at := []uint{firstAt, secondAt}[rng.IntN(2)]
	k := i + 1 + rng.IntN(soon)
	if k >= len(code) || code[k].WaitMask() != 0 || code[k].Op() >= 0x100 {
		return false // there is no result in that field, or the instruction waits
	}
	return set(&code[k], resultAt, bits, code[i].Field(at, bits))
}
