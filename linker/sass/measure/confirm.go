package main

import (
	"log"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A confirmation compares forms with all samples and keeps the forms that no sample contradicts.
type confirmation struct {
	byOpcode   map[uint16][]*sample
	known      map[*sample]bool          // samples covered by a kept form
	predicates map[uint16][]sass.Operand // predicates in some form of the opcode
	leaves     []leaf                    // kept
}

// confirmed returns the forms that no sample contradicts. Samples whose operands could not be learned count
// too. The result has the forms in found, and those of the given forms that cover further samples or have no
// sample.
func confirmed(given, found []leaf, all []*sample) []leaf {
	c := newConfirmation(found, all)
	for _, l := range found {
		l.count = 0
		c.keep(l, fewest)
	}
	for _, l := range given {
		if contradicted := c.keep(l, 0); contradicted {
			c.keepParts(l)
		}
	}
	slices.SortStableFunc(c.leaves, func(a, b leaf) int { return int(a.opcode) - int(b.opcode) })
	return c.leaves
}

func newConfirmation(found []leaf, all []*sample) *confirmation {
	c := &confirmation{byOpcode: map[uint16][]*sample{}, known: map[*sample]bool{}, predicates: map[uint16][]sass.Operand{}}
	for _, s := range all {
		c.byOpcode[s.x.Opcode()] = append(c.byOpcode[s.x.Opcode()], s)
	}
	for _, l := range found {
		for _, o := range l.operands {
			if (o.File == sass.Predicate || o.File == sass.UniformPredicate) && o.At != guardSlot && o.At != sass.EveryPredicate && !slices.Contains(c.predicates[l.opcode], o) {
				c.predicates[l.opcode] = append(c.predicates[l.opcode], o)
			}
		}
	}
	return c
}

// keep adds l if it covers at least fewest samples that no kept form covers. It reports whether some sample
// contradicts l.
func (c *confirmation) keep(l leaf, fewest int) (contradicted bool) {
	agree, adds := 0, 0
	for _, s := range c.covered(l) {
		if !l.explains(s) {
			log.Printf("%#x: not confirmed: sm_%d: %016x %016x %s: writes %v, reads %v", l.opcode, s.sm, s.x.High, s.x.Low, s.text, s.writes, s.reads)
			return true
		}
		if agree++; !c.known[s] {
			adds++
		}
	}
	if fewest > 1 && c.mayLackPredicate(l) || adds < max(fewest, min(agree, 1)) {
		return false
	}
	unnamed := l.text == ""
	for _, s := range c.covered(l) {
		c.known[s] = true
		if unnamed && (l.text == "" || len(s.text) < len(l.text)) {
			l.text = s.text
		}
	}
	l.count += agree
	c.leaves = append(c.leaves, l)
	return false
}

// covered returns the samples that l covers.
func (c *confirmation) covered(l leaf) (samples []*sample) {
	for _, s := range c.byOpcode[l.opcode] {
		if l.covers(s) {
			samples = append(samples, s)
		}
	}
	return samples
}

// mayLackPredicate reports whether other forms of the opcode have a predicate that l does not have, and no
// sample of l shows that it is absent.
func (c *confirmation) mayLackPredicate(l leaf) bool {
	samples := c.covered(l)
	return slices.ContainsFunc(c.predicates[l.opcode], func(o sass.Operand) bool {
		return !slices.Contains(l.operands, o) && !slices.ContainsFunc(samples, func(s *sample) bool { return !s.wild(o) })
	})
}

// keepParts adds those parts of a contradicted form that are correct: its form for some SMs, or for one value
// of one bit.
func (c *confirmation) keepParts(l leaf) {
	for i, sm := range sms {
		part := l
		part.since, part.until = max(l.since, sm), l.until
		if i+1 < len(sms) {
			part.until = min(l.until, sms[i+1]-1)
		}
		if part.since > part.until || !c.keep(part, 1) {
			continue
		}
		for _, l := range part.narrowed(c.byOpcode[part.opcode]) {
			c.keep(l, 1)
		}
	}
}

// nearly is the minimum share of samples that must agree with a form. Above it, the form is taken to be
// correct for one value of some bit.
const nearly = .9

// narrowed returns the forms that restrict l to one value of one bit, such that no sample contradicts them and
// most samples of l remain.
func (l leaf) narrowed(samples []*sample) (parts []leaf) {
	samples = slices.DeleteFunc(slices.Clone(samples), func(s *sample) bool { return !l.covers(s) })
	for at := uint(firstBit); at < endBit; at++ {
		for v := range uint64(2) {
			part := l
			part.mask, part.bits = setField(l.mask, at, 1, 1), setField(l.bits, at, 1, v)
			agree := 0
			for _, s := range samples {
				switch {
				case !part.covers(s):
				case part.explains(s):
					agree++
				default:
					agree -= len(samples)
				}
			}
			if !l.mask.Bit(at) && float64(agree) >= nearly*float64(len(samples)) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}
