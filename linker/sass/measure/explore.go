package main

import (
	"context"
	"log"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/culink/culink/linker/sass"
)

const (
	opcodes   = 1 << 12
	batch     = 20000
	forRanges = 1500 // life ranges are wide tables
)

// An explorer finds instructions among random encodings.
type explorer struct {
	*rand.Rand
	disassembler
	effort int                           // approximate number of encodings tried for each opcode
	wanted func(op uint16) bool          // opcodes to test
	found  map[uint16][]sass.Instruction // valid ones
	texts  map[sass.Instruction]string
	known  []*sample
}

// schedule is the value of the scheduling bits in all encodings: a stall of one cycle and no scoreboards.
const schedule = 0x000fe200_00000000

// know adds an earlier measurement.
func (e *explorer) know(s *sample) {
	if s.sm == e.sm {
		e.texts[s.x] = s.text
		e.found[s.x.Opcode()] = append(e.found[s.x.Opcode()], s.x)
		e.known = append(e.known, s)
	}
}

// setField returns x with a changed field.
func setField(x sass.Instruction, at, width uint, v uint64) sass.Instruction {
	for i := range width {
		b, one := v>>i&1, at+i
		if one < 64 {
			x.Low = x.Low&^(1<<one) | b<<one
		} else {
			x.High = x.High&^(1<<(one-64)) | b<<(one-64)
		}
	}
	return x
}

// withRegisters returns x with other registers in all slots. The numbers are chosen so that each use shows its
// slot, and that all alignments are met.
func (e *explorer) withRegisters(x sass.Instruction) sass.Instruction {
	numbers := e.Perm(7)
	keep := e.IntN(2)
	for i, at := range registerSlots {
		if at == 40 && keep == 1 {
			continue // usually part of a constant
		}
		x = setField(x, uint(at), 8, uint64(numbers[i]+1)*8)
	}
	predicates, next := e.Perm(7), 0
	for _, slot := range predicateSlots {
		if slot.inverted || slot.at == 66 || slot.at == 69 { // the bits belong to other slots
			continue
		}
		n := uint64(predicates[next])
		if slot.at != 64 { // eight slots share seven predicates: this one, which rarely is a predicate, has that of the next
			next++
		}
		if slot.at < 72 && slot.at != guardSlot && e.IntN(3) > 0 {
			continue // in a register slot
		}
		x = setField(x, uint(slot.at), 3, n)
	}
	return x
}

// random returns a random encoding of an opcode. density is the share of bits that are set outside the slots.
func (e *explorer) random(op uint16, density float64) sass.Instruction {
	x := sass.Instruction{Low: uint64(op), High: schedule}
	for at := uint(16); at < 105; at++ {
		if e.Float64() < density {
			x = setField(x, at, 1, 1)
		}
	}
	return e.withRegisters(x)
}

// mutated returns x with a few changed bits, and usually with other registers.
func (e *explorer) mutated(x sass.Instruction) sass.Instruction {
	if e.IntN(4) > 0 {
		x = e.withRegisters(x)
	}
	for range e.IntN(4) {
		at := uint(16 + e.IntN(105-16))
		x = setField(x, at, 1, 1&^x.Field(at, 1))
	}
	if e.IntN(8) == 0 { // a modifier field
		x = setField(x, uint(72+e.IntN(30)), 3, e.Uint64N(8))
	}
	return x
}

// straight clears the displacement of a branch, so that its target is the next instruction.
func straight(x sass.Instruction) sass.Instruction {
	switch operationOf(x.Opcode()) {
	case sass.OpBRA, sass.OpJMP, sass.OpCALLAbs, sass.OpCALLRel:
		if kind := x.Opcode() >> 9; kind != 1 { // not through a register
			x = setField(setField(x, 16, 8, 0), 34, 48, 0)
		}
	}
	return x
}

// try keeps those of words that are valid instructions, and returns the new ones among them.
func (e *explorer) try(ctx context.Context, words []sass.Instruction) (added []sass.Instruction, err error) {
	for part := range slices.Chunk(words, batch) {
		kept, texts, err := e.legal(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, x := range kept {
			if _, known := e.texts[x]; !known {
				e.texts[x] = texts[i]
				e.found[x.Opcode()] = append(e.found[x.Opcode()], x)
				added = append(added, x)
			}
		}
	}
	return added, nil
}

// explore finds instructions of all opcodes. seeds are instructions of other SMs.
func (e *explorer) explore(ctx context.Context, seeds map[uint16][]sass.Instruction) error {
	var words []sass.Instruction
	for op := range uint16(opcodes) {
		if !e.wanted(op) {
			continue
		}
		for i := range e.effort {
			words = append(words, straight(e.random(op, []float64{0, .02, .05, .1, .2, .3, .4, .5}[i%8])))
		}
		for _, x := range seeds[op] {
			words = append(words, straight(x), straight(e.withRegisters(x)))
		}
	}
	if _, err := e.try(ctx, words); err != nil {
		return err
	}
	log.Printf("sm_%d: %d opcodes", e.sm, len(e.found))
	for range 4 {
		words = words[:0]
		for op := range uint16(opcodes) { // in order, so that a run is reproducible
			known := e.found[op]
			if len(known) == 0 {
				continue
			}
			for range e.effort {
				words = append(words, straight(e.mutated(known[e.IntN(len(known))])))
			}
		}
		if _, err := e.try(ctx, words); err != nil {
			return err
		}
	}
	return nil
}

// branches reports whether an instruction with this text ends a basic block. The disassembler then looks for
// the target of the branch.
func branches(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "EXIT", "KILL", "BSSY", "BSYNC", "BREAK", "RTT", "BPT", "WARPSYNC", "YIELD", "ENDCOLLECTIVE":
		return true
	}
	return false
}

// operationOf returns the part of an opcode that identifies the operation. The other part holds the kinds of
// operands and does not affect the places of the modifiers.
func operationOf(op uint16) uint16 { return op & 0x1ff }

// firstModifier is the first bit of the modifiers in most instructions.
const firstModifier = 72

// sisters returns instructions that combine an operation and kinds of operands with modifiers found for other
// kinds of operands. Modifiers that are valid only together are rarely found by chance.
func (e *explorer) sisters() (words []sass.Instruction) {
	byOperation := map[uint16][]sass.Instruction{}
	for op := range uint16(opcodes) {
		byOperation[operationOf(op)] = append(byOperation[operationOf(op)], e.found[op]...)
	}
	for op := range uint16(opcodes) {
		known, others := e.found[op], byOperation[operationOf(op)]
		if len(known) == 0 || len(known) == len(others) {
			continue
		}
		for range combinations {
			x, other := known[e.IntN(len(known))], others[e.IntN(len(others))]
			words = append(words, straight(setField(x, firstModifier, endBit-firstModifier, other.Field(firstModifier, endBit-firstModifier))))
		}
	}
	return words
}

// measureAll measures the registers of words. Branches are measured separately.
func (e *explorer) measureAll(ctx context.Context, words []sass.Instruction) (all []*sample, err error) {
	var lists [2][]sass.Instruction
	branched := map[uint16]int{}
	for _, x := range words {
		switch text := e.texts[x]; {
		case strings.HasPrefix(text, "JMP"): // the disassembler never finds its target
		case !branches(text):
			lists[0] = append(lists[0], x)
		case branched[x.Opcode()] < fewBranches:
			branched[x.Opcode()]++
			lists[1] = append(lists[1], x)
		}
	}
	for kind, words := range lists {
		for part := range slices.Chunk(words, []int{forRanges, 400}[kind]) {
			measured, err := e.measure(ctx, part)
			if err != nil {
				return nil, err
			}
			all = append(all, measured...)
		}
	}
	return all, nil
}

// fewBranches is the number of branches of an opcode that are measured at once. Branches have few forms, and
// the disassembler rarely accepts code with several branches.
const fewBranches = 24

// some returns at most limit random instructions found for each opcode.
func (e *explorer) some(limit int) (words []sass.Instruction) {
	for op := range uint16(opcodes) {
		known := e.found[op]
		e.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
		words = append(words, known[:min(limit, len(known))]...)
	}
	return words
}

// measure measures the registers of words. It drops an instruction if the disassembler rejects code with it.
func (e *explorer) measure(ctx context.Context, words []sass.Instruction) ([]*sample, error) {
	writes, reads, err := e.uses(ctx, words)
	if err != nil {
		if len(words) <= 3 {
			return nil, nil
		}
		var all []*sample
		for _, half := range [][]sass.Instruction{words[:len(words)/2], words[len(words)/2:]} {
			part, err := e.measure(ctx, half)
			if err != nil {
				return nil, err
			}
			all = append(all, part...)
		}
		return all, nil
	}
	all := make([]*sample, len(words))
	for i, x := range words {
		all[i] = &sample{x: x, sm: e.sm, text: e.texts[x], writes: writes[i], reads: reads[i]}
	}
	return all, nil
}
