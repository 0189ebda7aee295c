package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A leaf is a form: the bits that decide, the SMs it was seen on, its operands.
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

// learn splits samples of one opcode by the bits that decide, until all on a side have the
// same operands. What no bit tells apart it reports and leaves out.
func learn(samples []*sample, decide, mask, bits sass.Instruction, report func(string)) []leaf {
	operands := union(samples)
	if !slices.ContainsFunc(samples, func(s *sample) bool { return !s.shows(operands) }) {
		return []leaf{newLeaf(samples, decide, mask, bits, operands)}
	}
	at, left := bestSplit(samples, decide.Bit)
	if math.IsInf(left, 1) {
		slots := slotsOf(samples)
		if at, left = bestSplit(samples, func(at uint) bool { return !slots.Bit(at) }); left > disorder(samples)*chanceLeaves {
			report(fmt.Sprintf("%#x: %d samples differ, and nothing tells them apart: %s", samples[0].x.Opcode(), len(samples), samples[0].text))
			return nil
		}
		if at < endBit { // it decides with others only: no legal instruction differs in it alone
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

// bestSplit returns the bit of those that may decide, or the SM, that leaves the least
// disorder on both of its sides, and that disorder: endBit and more for an SM not below
// sms[at-endBit].
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

// chanceLeaves is what part of the disorder at least a bit leaves that only happens to
// differ.
const chanceLeaves = .8

// slotsOf returns the bits of the registers that any of samples is known to name.
func slotsOf(samples []*sample) (mask sass.Instruction) {
	for _, s := range samples {
		slots := s.slots()
		mask.Low, mask.High = mask.Low|slots.Low, mask.High|slots.High
	}
	return mask
}

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

// disorder is the number of bits it takes to say which operands each of samples has.
func disorder(samples []*sample) (sum float64) {
	counts := map[string]int{}
	for _, s := range samples {
		counts[s.key]++
	}
	list := make([]int, 0, len(counts))
	for _, n := range counts {
		list = append(list, n)
	}
	slices.Sort(list) // so that the sum is the same each time
	for _, n := range list {
		sum -= float64(n) * math.Log2(float64(n)/float64(len(samples)))
	}
	return sum
}

// fewSamples of a form are tried on all SMs.
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

// compareLeaves orders forms as the table has them.
func compareLeaves(a, b leaf) int {
	return cmp.Or(cmp.Compare(a.opcode, b.opcode), cmp.Compare(a.since, b.since),
		cmp.Compare(a.bits.High, b.bits.High), cmp.Compare(a.bits.Low, b.bits.Low),
		cmp.Compare(a.mask.High, b.mask.High), cmp.Compare(a.mask.Low, b.mask.Low))
}
