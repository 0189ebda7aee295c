package hazard

import (
	"sort"

	"github.com/culink/culink/linker/sass"
)

// A class is a kind of instructions that take their operands at the same time, as far as
// distances go.
type class uint8

const (
	logic    class = iota // integers, comparisons, moves
	multiply              // integer multiplication, floats
	half                  // pairs of halves
	double                // 64-bit floats
	tensor                // matrices
	uniform               // the uniform datapath
	control               // branches, barriers
	variable              // memory, conversions, and whatever else takes its time
)

func (c class) String() string {
	return [...]string{"logic", "multiply", "half", "double", "tensor", "uniform", "control", "variable"}[c]
}

// classOf is by the operation: the low nine bits of the opcode.
func classOf(op uint16) class {
	switch {
	case 0x80 <= op && op < 0x100:
		return uniform
	case 0x20 <= op && op <= 0x27:
		return multiply
	case 0x28 <= op && op <= 0x2b:
		return double
	case 0x30 <= op && op <= 0x35 || op == 0x40:
		return half
	case op == 0x37 || op == 0x3a || op == 0x3c || op == 0x3f:
		return tensor
	case 0x140 <= op && op <= 0x15f:
		return control
	case 0x100 <= op:
		return variable
	}
	return logic
}

// A pair is two instructions of which the second touches registers of the first.
type pair struct {
	first  uint16 // its operation
	kind   kind   // whether its results are touched, or its operands written over
	file   sass.File
	second class
	write  bool
}

func (p pair) number() uint32 {
	n := uint32(p.first)<<9 | uint32(p.kind)<<7 | uint32(p.file)<<5 | uint32(p.second)<<1
	if p.write {
		n |= 1
	}
	return n
}

// A least is the least distance in cycles that the assembler leaves between the
// instructions of a pair, and how many it was seen with.
type least struct {
	pair   uint32
	cycles uint8
	count  uint32
}

// A generation is a group of SMs whose schedules follow the same distances.
type generation struct {
	since, until uint8
	variable     [8]uint64 // operations whose results are counted on scoreboards
	least        []least   // by pair
}

func generationOf(sm int) *generation {
	for i := range generations {
		if g := &generations[i]; int(g.since) <= sm && sm <= int(g.until) {
			return g
		}
	}
	return nil
}

func (g *generation) isVariable(op uint16) bool { return g.variable[op/64]>>(op%64)&1 == 1 }

// find returns the least distance of a pair.
func (g *generation) find(p pair) (l least, ok bool) {
	n := p.number()
	i := sort.Search(len(g.least), func(i int) bool { return g.least[i].pair >= n })
	if i == len(g.least) || g.least[i].pair != n {
		return least{}, false
	}
	return g.least[i], true
}

// seldom is the count below which a least distance is not yet the least.
const seldom = 12

// bounds returns between which distances the least one of a pair lies: below the first it
// is a mistake, from the second on it is none.
func (g *generation) bounds(p pair) (from, to uint8, known bool) {
	own, ok := g.find(p)
	if ok && own.count >= seldom {
		return own.cycles, own.cycles, true
	}
	// What other instructions leave after the first one is enough for this one as well.
	for c := logic; c <= variable; c++ {
		other := p
		other.second = c
		if l, ok := g.find(other); ok && l.count >= seldom {
			to, known = max(to, l.cycles), true
		}
	}
	if ok && !known {
		to, known = horizon+1, true
	}
	return 0, to, known
}
