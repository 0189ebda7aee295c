// Package spoil makes schedules wrong, one way at a time, and counts what package hazard says of them.
//
// What the checker calls safe all the same has to be harmless: package adversary, which follows code in
// another way, must find no path on which it goes wrong.
package spoil

import (
	"math/rand/v2"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// A Kind is a way to make the schedule of a function wrong, at one instruction or all over.
type Kind struct {
	Name  string
	whole bool // it changes all instructions, whatever i is
	// apply changes code at instruction i and reports whether that changed anything.
	apply func(rng *rand.Rand, code []sass.Instruction, i int) bool
}

// tries is how many instructions are looked at for one that a spoil changes.
const tries = 40

// Spoil returns f with a wrong schedule, and the place of an instruction that changed. It is false
// where it found nothing to change.
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

// boards is how many scoreboards there are.
const boards = 6

// control gives x other control fields and reports whether they differ.
func control(x *sass.Instruction, change func(c *sass.Control)) bool {
	c, before := x.Control(), *x
	change(&c)
	*x = x.WithControl(c)
	return *x != before
}

// set gives x other bits and reports whether they differ.
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

// other returns the scoreboard after one.
func other(board int) int {
	if board == sass.NoBarrier {
		return board
	}
	return (board + 1) % boards
}

// Kinds are all ways, in the order of tables.
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

// overwrite has one of the next instructions write over an operand of instruction i, whose operands a
// scoreboard counts.
func overwrite(rng *rand.Rand, code []sass.Instruction, i int) bool {
	const firstAt, secondAt, resultAt, bits, soon = 24, 32, 16, 8, 4
	if code[i].ReadBarrier() == sass.NoBarrier {
		return false
	}
	at := []uint{firstAt, secondAt}[rng.IntN(2)]
	k := i + 1 + rng.IntN(soon)
	if k >= len(code) || code[k].WaitMask() != 0 || code[k].Op() >= 0x100 {
		return false // not a result in that place, or it waits
	}
	return set(&code[k], resultAt, bits, code[i].Field(at, bits))
}
