package main

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A leaf is a form: the deciding bits, the SMs on which it was seen, and its operands.
type leaf struct {
	opcode       uint16
	mask, bits   sass.Instruction
	since, until int
	operands     []sass.Operand
	text         string // of one sample
	count        int
	few          []sass.Instruction // some of the samples
}

// firstBit and endBit bound the bits that can decide.
const firstBit, endBit = 16, 105

// learn splits the samples of one opcode by deciding bits, until all samples on each side have the same
// operands. If no bit distinguishes two forms, both are reported and dropped.
func learn(samples []*sample, decide, mask, bits sass.Instruction, report func(string)) []leaf {
	operands := union(samples)
	if !slices.ContainsFunc(samples, func(s *sample) bool { return !s.shows(operands) }) {
		return []leaf{newLeaf(samples, decide, mask, bits, operands)}
	}
	at, left := bestSplit(samples, decide.Bit)
	if math.IsInf(left, 1) {
		slots, free := slotsOf(samples), freeOf(samples)
		at, left = bestSplit(samples, func(at uint) bool { return !slots.Bit(at) && !free.Bit(at) })
		if left > disorder(samples)*chanceLeaves {
			at, left = bestSplit(samples, func(at uint) bool { return !slots.Bit(at) })
		}
		if left > disorder(samples)*chanceLeaves {
			report(fmt.Sprintf("%#x: %d samples differ, and nothing tells them apart: %s", samples[0].x.Opcode(), len(samples), samples[0].text))
			return nil
		}
		if at < endBit { // it decides only together with others: no valid instruction differs only in it
			decide = setField(decide, at, 1, 1)
		}
	}
	yes, no := divide(samples, at)
	if at >= endBit {
		return append(learn(no, decide, mask, bits, report), learn(yes, decide, mask, bits, report)...)
	}
	mask = setField(mask, at, 1, 1)
	return append(learn(no, decide, mask, bits, report), learn(yes, decide, mask, setField(bits, at, 1, 1), report)...)
}

// bestSplit returns the bit or the SM that leaves the least disorder on both of its sides, and that disorder.
// may restricts the bits. A result of endBit or more stands for an SM: the split is between those below
// sms[at-endBit] and the others.
func bestSplit(samples []*sample, may func(at uint) bool) (best uint, least float64) {
	least = math.Inf(1)
	for at := uint(firstBit); at < endBit+uint(len(sms)); at++ {
		if at < endBit && !may(at) {
			continue
		}
		yes, no := divide(samples, at)
		if len(yes) == 0 || len(no) == 0 {
			continue
		}
		if score := disorder(yes) + disorder(no); score < least-1e-9 {
			least, best = score, at
		}
	}
	return best, least
}

// chanceLeaves is the least share of the disorder that remains after a split by a bit that differs only by
// chance.
const chanceLeaves = .8

// slotsOf returns the bits of all registers known in samples.
func slotsOf(samples []*sample) (mask sass.Instruction) {
	for _, s := range samples {
		slots := s.slots()
		mask.Low, mask.High = mask.Low|slots.Low, mask.High|slots.High
	}
	return mask
}

// freeOf returns the bits that do not affect the operands. Such a bit differs between samples whose text is
// the same except for numbers. This must hold for most samples that have such a counterpart.
func freeOf(samples []*sample) (mask sass.Instruction) {
	alike := map[string][]*sample{}
	for _, s := range samples {
		alike[s.reading] = append(alike[s.reading], s)
	}
	var pairs int
	var differ [endBit]int
	for _, group := range alike {
		var varies sass.Instruction
		for _, s := range group {
			varies.Low, varies.High = varies.Low|(s.x.Low^group[0].x.Low), varies.High|(s.x.High^group[0].x.High)
		}
		pairs += len(group) - 1
		for at := uint(firstBit); at < endBit; at++ {
			if varies.Bit(at) {
				differ[at] += len(group) - 1
			}
		}
	}
	for at := uint(firstBit); at < endBit; at++ {
		if 2*differ[at] > pairs {
			mask = setField(mask, at, 1, 1)
		}
	}
	return mask
}

// number matches a number in the text of an instruction, including that of a register.
var number = regexp.MustCompile(`-?(0x[0-9a-f]+|\d+(\.\d+)?(e[+-]\d+)?)`)

func divide(samples []*sample, at uint) (yes, no []*sample) {
	for _, s := range samples {
		if at < endBit && s.x.Bit(at) || at >= endBit && s.sm >= sms[at-endBit] {
			yes = append(yes, s)
		} else {
			no = append(no, s)
		}
	}
	return yes, no
}

// disorder measures how unlike the operands of samples are. It is the number of bits needed to record, for
// each operand of any sample, which samples have it. Only samples that show the operand count.
func disorder(samples []*sample) (sum float64) {
	for _, o := range union(samples) {
		has, lacks := 0., 0.
		for _, s := range samples {
			switch {
			case slices.Contains(s.operands, o):
				has++
			case !s.wild(o):
				lacks++
			}
		}
		for _, n := range []float64{has, lacks} {
			if n > 0 {
				sum -= n * math.Log2(n/(has+lacks))
			}
		}
	}
	return sum
}

// fewSamples is the number of samples of a form that are tried on all SMs.
const fewSamples = 6

func newLeaf(samples []*sample, decide, mask, bits sass.Instruction, operands []sass.Operand) leaf {
	l := leaf{opcode: samples[0].x.Opcode(), mask: mask, bits: bits, since: 1 << 30, operands: operands, count: len(samples)}
	for _, s := range samples {
		l.since, l.until = min(l.since, s.sm), max(l.until, s.sm)
		if len(l.few) < fewSamples {
			l.few = append(l.few, s.x)
		}
		if l.text == "" || len(s.text) < len(l.text) || len(s.text) == len(l.text) && s.text < l.text {
			l.text = s.text
		}
	}
	for at := uint(firstBit); at < endBit; at++ {
		first := samples[0].x.Field(at, 1)
		if decide.Bit(at) && !slices.ContainsFunc(samples, func(s *sample) bool { return s.x.Field(at, 1) != first }) {
			l.mask, l.bits = setField(l.mask, at, 1, 1), setField(l.bits, at, 1, first)
		}
	}
	return l
}

// compareLeaves orders forms as in the table.
func compareLeaves(a, b leaf) int {
	return cmp.Or(cmp.Compare(a.opcode, b.opcode), cmp.Compare(a.since, b.since),
		cmp.Compare(a.bits.High, b.bits.High), cmp.Compare(a.bits.Low, b.bits.Low),
		cmp.Compare(a.mask.High, b.mask.High), cmp.Compare(a.mask.Low, b.mask.Low))
}
