package main

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/sass"
)

// A sample is an encoding with the registers that it writes and reads, and the resulting operands.
type sample struct {
	x             sass.Instruction
	sm            int
	text          string
	writes, reads sass.Registers
	reading       string // sm, and text without its numbers
	operands      []sass.Operand

	labelled bool                  // operands were determined
	strange  bool                  // no operands explain the use of registers
	unlikely map[predicateUse]bool // slots that do not contain a predicate
}

// registerSlots and predicateSlots are the possible places of registers and predicates in an instruction.
var (
	registerSlots  = []uint8{16, 24, 32, 40, 64}
	predicateSlots = []predicateSlot{{12, false}, {24, false}, {64, false}, {64, true}, {66, false}, {68, false}, {69, false}, {77, false}, {81, false}, {84, false}, {87, false}, {87, true}}
)

// label determines the operands of s: which register fields of the encoding account for the registers that s reads and
// writes. It fails if several sets of fields are possible, or if none is. If none is possible, s is strange.
func (s *sample) label() {
	s.operands, s.labelled, s.strange = nil, false, false
	for _, write := range []bool{true, false} {
		set := s.reads
		if write {
			set = s.writes
		}
		for file := sass.General; file <= sass.UniformPredicate; file++ {
			numbers := map[uint]bool{}
			for f, n := range set.All {
				if f == file {
					numbers[n] = true
				}
			}
			if len(numbers) == 0 {
				continue
			}
			if file == sass.Predicate || file == sass.UniformPredicate {
				operands, ok := s.singles(write, file, numbers)
				if !ok {
					s.strange = true
					return
				}
				s.operands = append(s.operands, operands...)
				continue
			}
			all := s.groups(write, file, numbers)
			if len(all) != 1 {
				s.strange = len(all) == 0
				return
			}
			s.operands = append(s.operands, all[0]...)
		}
	}
	s.operands = append(s.operands, everyPredicate(s.text)...)
	s.labelled = true
}

// groups returns all ways to split the registers into groups that begin at slots.
func (s *sample) groups(write bool, file sass.File, numbers map[uint]bool) (all [][]sass.Operand) {
	var slots []uint8
	for _, at := range registerSlots {
		if numbers[s.number(file, at)] {
			slots = append(slots, at)
		}
	}
	for chosen := 1; chosen < 1<<len(slots); chosen++ {
		first := map[uint]bool{}
		twice := false
		for i, at := range slots {
			if n := s.number(file, at); chosen>>i&1 == 1 {
				twice = twice || first[n]
				first[n] = true
			}
		}
		if twice {
			continue
		}
		covered := 0
		var operands []sass.Operand
		for i, at := range slots {
			if chosen>>i&1 == 0 {
				continue
			}
			n := s.number(file, at)
			count := uint(1)
			for numbers[n+count] && !first[n+count] {
				count++
			}
			if file == sass.Uniform && (n < 4 || n+count == 63) {
				return nil // there may be more of it
			}
			covered += int(count)
			operands = append(operands, sass.Operand{Write: write, File: file, At: at, Count: uint8(count)})
		}
		if covered == len(numbers) {
			all = append(all, operands)
		}
	}
	return all
}

// singles returns the predicates whose numbers occur at only one slot. If a number occurs at several slots, the
// slot cannot be determined; see wild. ok is false if a number does not occur anywhere.
func (s *sample) singles(write bool, file sass.File, numbers map[uint]bool) (operands []sass.Operand, ok bool) {
	at := map[uint][]predicateSlot{}
	for _, slot := range predicateSlots {
		n := slot.number(s.x)
		if numbers[n] && !(write && slot.at == guardSlot) && !s.unlikely[predicateUse{s.x.Opcode(), s.sm, write, file, slot}] {
			at[n] = append(at[n], slot)
		}
	}
	for n, slots := range at {
		if len(slots) == 1 || slots[0].at == guardSlot && s.guards(n) {
			operands = append(operands, sass.Operand{Write: write, File: file, At: slots[0].at, Count: 1, Inverted: slots[0].inverted})
		}
	}
	slices.SortFunc(operands, compareOperands)
	return operands, len(at) == len(numbers)
}

// A predicateUse is a slot at which instructions of an opcode read or write a predicate on an SM.
type predicateUse struct {
	opcode uint16
	sm     int
	write  bool
	file   sass.File
	slot   predicateSlot
}

// chance is the largest share of an opcode's samples in which a slot can contain a predicate's number by chance,
// while the predicate is at another slot.
const chance = 1. / 6

// guardChance is the largest share of samples in which the guard can look like a predicate of the other file.
const guardChance = 1. / 4

// rare is a minimum share of those samples that show whether an instruction uses a slot. If a slot reaches this
// share, some forms of the opcode use it, even if most forms use another.
const rare = 1. / 40

// labelAll labels all samples twice. The first pass determines the slots of each opcode. The second pass uses
// these slots only.
func labelAll(all []*sample) (unexplained []*sample) {
	type predicates struct {
		opcode uint16
		sm     int
		write  bool
		file   sass.File
	}
	count, most := map[predicateUse]int{}, map[predicates]int{}
	for _, s := range all {
		s.unlikely = nil
		if s.label(); !s.labelled {
			continue
		}
		for _, o := range s.operands {
			if o.At != sass.EveryPredicate && (o.File == sass.Predicate || o.File == sass.UniformPredicate) {
				u := predicateUse{s.x.Opcode(), s.sm, o.Write, o.File, predicateSlot{o.At, o.Inverted}}
				if o.At != guardSlot || s.standsOnce(o) {
					count[u]++
				} else {
					count[u] += 0 // a candidate
				}
				p := predicates{u.opcode, u.sm, u.write, u.file}
				if o.At != guardSlot {
					most[p] = max(most[p], count[u])
				}
			}
		}
	}
	against := map[predicateUse]int{}
	for _, s := range all {
		if !s.labelled {
			continue
		}
		for _, write := range []bool{true, false} {
			for _, file := range []sass.File{sass.Predicate, sass.UniformPredicate} {
				for _, slot := range predicateSlots {
					u := predicateUse{s.x.Opcode(), s.sm, write, file, slot}
					if count[u] > 0 && !s.wild(sass.Operand{Write: write, File: file, At: slot.at, Inverted: slot.inverted}) {
						against[u]++
					}
				}
			}
		}
	}
	unlikely := map[predicateUse]bool{}
	for u, n := range count {
		other := most[predicates{u.opcode, u.sm, u.write, u.file}]
		limit := chance
		if u.slot.at == guardSlot { // the guard belongs to one file
			guard := u
			guard.file = sass.Predicate + sass.UniformPredicate - u.file
			other, limit = count[guard], guardChance
		}
		unlikely[u] = float64(n) < limit*float64(other) && (n < fewest || u.slot.at == guardSlot || float64(n) < rare*float64(n+against[u]))
	}
	for _, s := range all {
		s.unlikely = unlikely
		if s.label(); !s.labelled && s.strange {
			unexplained = append(unexplained, s)
		}
	}
	return unexplained
}

// standsOnce reports whether the number of a predicate occurs only at the slot of o.
func (s *sample) standsOnce(o sass.Operand) bool {
	n := predicateSlot{o.At, o.Inverted}.number(s.x)
	return !slices.ContainsFunc(predicateSlots, func(slot predicateSlot) bool {
		return (slot.at != o.At || slot.inverted != o.Inverted) && slot.number(s.x) == n
	})
}

// A predicateSlot is a place in an instruction that contains the number of a predicate, or seven minus that
// number.
type predicateSlot struct {
	at       uint8
	inverted bool
}

func (p predicateSlot) number(x sass.Instruction) uint {
	n := uint(x.Field(uint(p.at), 3))
	if p.inverted {
		n = 7 - n
	}
	return n
}

// guardSlot is the place of the guard.
const guardSlot = 12

func (s *sample) guards(n uint) bool { return uint(s.x.Field(guardSlot, 3)) == n }

// everyPredicate returns the operands PR and UPR that occur in text. Each stands for all predicates together.
// The life ranges do not show them.
func everyPredicate(text string) (operands []sass.Operand) {
	_, list, _ := strings.Cut(text, " ")
	for i, name := range strings.Split(list, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "PR", strings.HasPrefix(name, "@"): // for PR it prints the guard
			operands = append(operands, sass.Operand{Write: i == 0, File: sass.Predicate, At: sass.EveryPredicate, Count: 7})
		case name == "UPR":
			operands = append(operands, sass.Operand{Write: i == 0, File: sass.UniformPredicate, At: sass.EveryPredicate, Count: 7})
		}
	}
	return operands
}

// wild reports whether the instruction of s may have operand o although the text of the instruction does not show
// the operand. This is so if the slot contains the true predicate or the zero register, or a predicate that is also
// used elsewhere.
func (s *sample) wild(o sass.Operand) bool {
	switch {
	case o.At == sass.EveryPredicate:
		return false
	case o.File == sass.Predicate || o.File == sass.UniformPredicate:
		used := s.reads
		if o.Write {
			used = s.writes
		}
		n := predicateSlot{o.At, o.Inverted}.number(s.x)
		return n == 7 || used.Has(o.File, n) || s.leavesOut(o)
	}
	n := s.number(o.File, o.At)
	return n == 255 || o.File == sass.Uniform && !showsUniform(n, uint(o.Count))
}

// leavesOut reports whether the disassembler omits o, whatever its slot contains. Of two result predicates it
// omits both if the first one is the true predicate.
func (s *sample) leavesOut(o sass.Operand) bool {
	return o.Write && o.File == sass.Predicate && o.At == secondResult && s.x.Field(firstResult, 3) == 7
}

// firstResult and secondResult are the slots of result predicates.
const firstResult, secondResult = 81, 84

// number returns the number at a slot as a register of a file.
func (s *sample) number(file sass.File, at uint8) uint {
	return uint(s.x.Field(uint(at), sass.NumberBits(file, s.sm)))
}

// showsUniform reports whether the life ranges have columns for count uniform registers from first on. They have
// none for the first four and for those after UR62.
func showsUniform(first, count uint) bool { return first >= 4 && first+count <= 63 }

// union returns the operands of all samples, in order.
func union(samples []*sample) (all []sass.Operand) {
	for _, s := range samples {
		for _, o := range s.operands {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, compareOperands)
	return all
}

// predicatesOf returns the predicates that samples show, with the number of samples.
func predicatesOf(samples []*sample) map[sass.Operand]int {
	count := map[sass.Operand]int{}
	for _, s := range samples {
		for _, o := range s.operands {
			if (o.File == sass.Predicate || o.File == sass.UniformPredicate) && o.At != sass.EveryPredicate {
				count[o]++
			}
		}
	}
	return count
}

func compareOperands(a, b sass.Operand) int {
	key := func(o sass.Operand) int {
		k := int(o.File)<<16 | int(o.At)<<8 | int(o.Count)
		if o.Inverted {
			k |= 1 << 15
		}
		if !o.Write {
			k |= 1 << 20
		}
		return k
	}
	return key(a) - key(b)
}

// shows reports whether s shows exactly those of the operands that it can show.
func (s *sample) shows(operands []sass.Operand) bool {
	n := 0
	for _, o := range operands {
		if slices.Contains(s.operands, o) {
			n++
		} else if !s.wild(o) {
			return false
		}
	}
	return n == len(s.operands)
}
