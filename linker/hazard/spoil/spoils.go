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

// Places of control bits in an instruction.
const (
	stallAt, stallBits = 105, 4
	resultsAt          = 110
	operandsAt         = 113
	boardBits          = 3
	waitsAt, waitsBits = 116, 6

	boards  = 6
	noBoard = 7
)

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
func other(board uint64) uint64 { return (board + 1) % boards }

// move counts on the scoreboard after the one that stands at a place.
func move(x *sass.Instruction, at uint) bool {
	b := x.Field(at, boardBits)
	return b != noBoard && set(x, at, boardBits, other(b))
}

// Kinds are all ways, in the order of tables.
var Kinds = []Kind{
	{Name: "a wait is removed", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return set(&code[i], waitsAt, waitsBits, 0)
	}},
	{Name: "a bit of a wait is cleared", apply: func(rng *rand.Rand, code []sass.Instruction, i int) bool {
		return set(&code[i], waitsAt+uint(rng.IntN(boards)), 1, 0)
	}},
	{Name: "a wait is for another scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		w := code[i].Field(waitsAt, waitsBits)
		return set(&code[i], waitsAt, waitsBits, w<<1&(1<<boards-1)|w>>(boards-1))
	}},
	{Name: "DEPBAR leaves one more under way", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		const opcode, has, countAt, countBits = 0x91a, 47, 38, 6
		x := &code[i]
		return x.Opcode() == opcode && x.Bit(has) && set(x, countAt, countBits, x.Field(countAt, countBits)+1)
	}},
	{Name: "results are counted on another scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return move(&code[i], resultsAt)
	}},
	{Name: "results are counted on no scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return set(&code[i], resultsAt, boardBits, noBoard)
	}},
	{Name: "operands are counted on another scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return move(&code[i], operandsAt)
	}},
	{Name: "operands are counted on no scoreboard", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return set(&code[i], operandsAt, boardBits, noBoard)
	}},
	{Name: "the scoreboards of results and operands are swapped", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		x := &code[i]
		results, operands := x.Field(resultsAt, boardBits), x.Field(operandsAt, boardBits)
		return results != noBoard && operands != noBoard && set(x, resultsAt, 2*boardBits, operands|results<<boardBits)
	}},
	{Name: "a scoreboard is reused while it is pending", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		if code[i].Field(resultsAt, boardBits) == noBoard {
			return false
		}
		for k := i - 1; k >= 0; k-- {
			if b := code[k].Field(resultsAt, boardBits); b != noBoard && b != code[i].Field(resultsAt, boardBits) {
				return set(&code[i], resultsAt, boardBits, b)
			}
		}
		return false
	}},
	{Name: "an operand is overwritten", apply: overwrite},
	{Name: "a stall is one cycle", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		return code[i].Field(stallAt, stallBits) > 1 && set(&code[i], stallAt, stallBits, 1)
	}},
	{Name: "a stall is a cycle less", apply: func(_ *rand.Rand, code []sass.Instruction, i int) bool {
		s := code[i].Field(stallAt, stallBits)
		return s > 1 && set(&code[i], stallAt, stallBits, s-1)
	}},
	{Name: "every stall is one cycle", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = set(&code[i], stallAt, stallBits, 1) || changed
		}
		return changed
	}},
	{Name: "no instruction waits", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = set(&code[i], waitsAt, waitsBits, 0) || changed
		}
		return changed
	}},
	{Name: "no results are counted", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = set(&code[i], resultsAt, boardBits, noBoard) || changed
		}
		return changed
	}},
	{Name: "no operands are counted", whole: true, apply: func(_ *rand.Rand, code []sass.Instruction, _ int) (changed bool) {
		for i := range code {
			changed = set(&code[i], operandsAt, boardBits, noBoard) || changed
		}
		return changed
	}},
}

// overwrite has one of the next instructions write over an operand of instruction i, whose operands a
// scoreboard counts.
func overwrite(rng *rand.Rand, code []sass.Instruction, i int) bool {
	const firstAt, secondAt, resultAt, bits, soon = 24, 32, 16, 8, 4
	if code[i].Field(operandsAt, boardBits) == noBoard {
		return false
	}
	at := []uint{firstAt, secondAt}[rng.IntN(2)]
	k := i + 1 + rng.IntN(soon)
	if k >= len(code) || code[k].Field(waitsAt, waitsBits) != 0 || code[k].Opcode()&0x1ff >= 0x100 {
		return false // not a result in that place, or it waits
	}
	return set(&code[k], resultAt, bits, code[i].Field(at, bits))
}
