package main

import (
	"context"
	"log"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A bit decides about the operands of an instruction if changing only this bit changes the operands. A few
// instructions of each opcode are enough to find these bits, by changing one bit after the other. All values of
// these bits are then tried together, which finds every form. The other bits, such as rounding modes, decide
// nothing, even if the samples happen to suggest it.

const (
	bases        = 7   // instructions of each opcode whose bits are changed one by one
	combinations = 600 // encodings of each opcode tried with values of all deciding bits
)

// samples finds instructions of all opcodes and measures them.
func (e *explorer) samples(ctx context.Context, seeds map[uint16][]sass.Instruction, limit int) ([]*sample, error) {
	all := e.known
	if len(all) == 0 {
		if err := e.explore(ctx, seeds); err != nil {
			return nil, err
		}
		var err error
		if all, err = e.measureAll(ctx, e.some(limit)); err != nil {
			return nil, err
		}
	}
	near, err := e.neighbours(ctx, all)
	if err != nil {
		return nil, err
	}
	all = append(all, near...)
	labelAll(all)
	decide := deciding(all)
	var words []sass.Instruction
	for op := range uint16(opcodes) {
		known, mask := e.found[op], decide[op]
		for i := range combinations {
			if len(known) == 0 || mask == (sass.Instruction{}) {
				break
			}
			x := known[e.IntN(len(known))]
			for at := uint(firstBit); at < endBit; at++ {
				if mask.Bit(at) && (i%4 > 0 || e.IntN(3) == 0) {
					x = setField(x, at, 1, e.Uint64N(2))
				}
			}
			words = append(words, straight(x))
		}
	}
	log.Printf("sm_%d: %d neighbours, %d opcodes with bits that decide, %d combinations", e.sm, len(near), len(decide), len(words))
	added, err := e.try(ctx, words)
	if err != nil {
		return nil, err
	}
	more, err := e.measureAll(ctx, added)
	return append(all, more...), err
}

// neighbours measures the instructions that differ in one bit from some instructions of each opcode. It does
// not measure those whose text does not change with the bit.
func (e *explorer) neighbours(ctx context.Context, all []*sample) ([]*sample, error) {
	taken := map[uint16]int{}
	from := map[sass.Instruction]string{} // text of the original instruction, by neighbour
	var words []sass.Instruction
	labelAll(all)
	for _, s := range all {
		if !s.labelled || taken[s.x.Opcode()] == bases {
			continue
		}
		taken[s.x.Opcode()]++
		slots := s.slots()
		for at := uint(firstBit); at < endBit; at++ {
			if !slots.Bit(at) {
				x := straight(setField(s.x, at, 1, 1&^s.x.Field(at, 1)))
				words = append(words, x)
				from[x] = s.text
			}
		}
	}
	added, err := e.try(ctx, words)
	if err != nil {
		return nil, err
	}
	return e.measureAll(ctx, slices.DeleteFunc(added, func(x sass.Instruction) bool { return e.texts[x] == from[x] }))
}

// deciding returns the deciding bits of each opcode. A bit decides if two labelled samples differ only in that
// bit and in their operands.
func deciding(all []*sample) map[uint16]sass.Instruction {
	type place struct {
		x  sass.Instruction
		sm int
	}
	known := map[place]*sample{}
	for _, s := range all {
		if s.labelled {
			known[place{s.x, s.sm}] = s
		}
	}
	decide := map[uint16]sass.Instruction{}
	byOpcode := map[uint16][]*sample{}
	for p, s := range known {
		byOpcode[p.x.Opcode()] = append(byOpcode[p.x.Opcode()], s)
	}
	named := map[uint16]sass.Instruction{} // slots of predicates in instructions of an opcode
	for op, samples := range byOpcode {
		for o, n := range predicatesOf(samples) {
			if float64(n) >= rare*float64(len(samples)) {
				named[op] = setField(named[op], uint(o.At), 3, 7)
			}
		}
	}
	for p, s := range known {
		slots := s.slots()
		for at := uint(firstBit); at < endBit; at++ {
			other := known[place{setField(p.x, at, 1, 1&^p.x.Field(at, 1)), p.sm}]
			if other != nil && !named[p.x.Opcode()].Bit(at) && !slots.Bit(at) && !other.slots().Bit(at) && !s.agrees(other) {
				decide[p.x.Opcode()] = setField(decide[p.x.Opcode()], at, 1, 1)
			}
		}
	}
	return shared(decide)
}

// shared adds modifiers to the deciding bits of each opcode: those that decide for the same operation with
// other kinds of operands.
func shared(decide map[uint16]sass.Instruction) map[uint16]sass.Instruction {
	modifiers := map[uint16]uint64{}
	const width = endBit - firstModifier
	for op, mask := range decide {
		modifiers[operationOf(op)] |= mask.Field(firstModifier, width)
	}
	for op := range uint16(opcodes) {
		if more := modifiers[operationOf(op)]; more != 0 {
			decide[op] = setField(decide[op], firstModifier, width, decide[op].Field(firstModifier, width)|more)
		}
	}
	return decide
}

// slots returns the bits of all registers known in s.
func (s *sample) slots() (mask sass.Instruction) {
	for _, o := range s.operands {
		switch {
		case o.At == sass.EveryPredicate:
		case o.File == sass.Predicate || o.File == sass.UniformPredicate:
			mask = setField(mask, uint(o.At), 3, 7)
		default:
			mask = setField(mask, uint(o.At), sass.NumberBits(o.File, s.sm), 255)
		}
	}
	return mask
}

// agrees reports whether s and other may have the same operands.
func (s *sample) agrees(other *sample) bool {
	operands := union([]*sample{s, other})
	return s.shows(operands) && other.shows(operands)
}
