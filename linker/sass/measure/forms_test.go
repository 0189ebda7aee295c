package main

import (
	"math/rand/v2"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// made is an artificial opcode. The value of its deciding bits selects its list of operands.
type made struct {
	name   string
	decide []uint
	lists  [][]sass.Operand
	often  func(x sass.Instruction) sass.Instruction // a change applied to three of four instructions found
}

func guard(file sass.File) sass.Operand {
	return sass.Operand{File: file, At: guardSlot, Count: 1}
}

// madeUp contains opcodes that were once learned incorrectly.
var madeUp = []made{
	{"a guard, and a uniform predicate that is often of its number", nil, [][]sass.Operand{
		{{Write: true, File: sass.General, At: 16, Count: 4}, {File: sass.General, At: 24, Count: 2}, guard(sass.Predicate), {File: sass.UniformPredicate, At: 87, Count: 1, Inverted: true}},
	}, func(x sass.Instruction) sass.Instruction { return setField(x, 87, 3, 7-x.Field(guardSlot, 3)) }},
	{"two results in predicates that only one value of a bit has", []uint{65}, [][]sass.Operand{
		{{Write: true, File: sass.General, At: 16, Count: 1}, {File: sass.General, At: 24, Count: 1}, guard(sass.Predicate), {File: sass.Predicate, At: 87, Count: 1}},
		{{Write: true, File: sass.General, At: 16, Count: 1}, {File: sass.General, At: 24, Count: 1}, guard(sass.Predicate), {File: sass.Predicate, At: 87, Count: 1}, {Write: true, File: sass.Predicate, At: 66, Count: 1}, {Write: true, File: sass.Predicate, At: 69, Count: 1}},
	}, nil},
	{"a predicate read and written at one place", []uint{75}, [][]sass.Operand{
		{{Write: true, File: sass.General, At: 16, Count: 1}, {File: sass.General, At: 24, Count: 1}, guard(sass.Predicate), {File: sass.Predicate, At: 64, Count: 1, Inverted: true}, {Write: true, File: sass.Predicate, At: 64, Count: 1, Inverted: true}},
		{{Write: true, File: sass.General, At: 16, Count: 2}, {File: sass.General, At: 24, Count: 2}, guard(sass.Predicate), {File: sass.Predicate, At: 64, Count: 1, Inverted: true}, {Write: true, File: sass.Predicate, At: 64, Count: 1, Inverted: true}, {Write: true, File: sass.Predicate, At: 81, Count: 1}},
	}, func(x sass.Instruction) sass.Instruction { return setField(x, 64, 3, 7-x.Field(84, 3)) }},
}

// TestFormsOfMadeUpOpcodes learns the forms of opcodes with known operands from samples like those of the
// disassembler. No form may contradict a sample, and nearly all samples must have a form.
func TestFormsOfMadeUpOpcodes(t *testing.T) {
	for _, m := range madeUp {
		t.Run(m.name, func(t *testing.T) {
			e := &explorer{Rand: rand.New(rand.NewPCG(1, 2))}
			var all []*sample
			add := func(x sass.Instruction) {
				which := 0
				for i, at := range m.decide {
					which |= int(x.Field(at, 1)) << i
				}
				s := &sample{x: x, sm: 90, text: "MADE"}
				s.writes, s.reads = sass.UsesOf(m.lists[which], x, s.sm)
				all = append(all, s)
			}
			for range 1000 {
				x := e.random(0x237, .3)
				if m.often != nil && e.IntN(4) > 0 {
					x = m.often(x)
				}
				add(x)
				for _, at := range m.decide {
					add(setField(x, at, 1, 1&^x.Field(at, 1)))
				}
			}
			leaves := confirmed(nil, forms(all), all)
			known := 0
			for _, s := range all {
				for _, l := range leaves {
					if l.covers(s) {
						known++
						if !l.explains(s) {
							t.Errorf("form %x/%x %v does not explain %x %x: writes %v, reads %v", l.mask.High, l.bits.High, l.operands, s.x.High, s.x.Low, s.writes, s.reads)
						}
						break
					}
				}
			}
			if known*100 < len(all)*99 {
				t.Errorf("%d of %d samples have a form", known, len(all))
			}
			if len(leaves) != len(m.lists) {
				t.Errorf("%d forms, want %d", len(leaves), len(m.lists))
			}
		})
	}
}
