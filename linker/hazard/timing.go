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
	wide                  // integer multiplication whose addend has two registers: it needs the second one late
	half                  // pairs of halves
	double                // 64-bit floats
	tensor                // matrices
	uniform               // the uniform datapath
	control               // branches, barriers
	variable              // memory, conversions, and whatever else takes its time
	another               // whatever another function begins with
)

func (c class) String() string {
	return [...]string{"logic", "multiply", "wide", "half", "double", "tensor", "uniform", "control", "variable", "another"}[c]
}

// classOf is by the operation: the low nine bits of the opcode.
func classOf(op uint16) class {
	switch {
	case 0x80 <= op && op < 0x100:
		return uniform
	case op == 0x25:
		return wide
	case 0x20 <= op && op <= 0x27:
		return multiply
	case 0x28 <= op && op <= 0x2b:
		return double
	case 0x30 <= op && op <= 0x35 || op == 0x40:
		return half
	case op == 0x37 || op == sass.OpMOVM || op == 0x3c || op == 0x3f:
		return tensor
	case 0x140 <= op && op <= 0x15f:
		return control
	case 0x100 <= op:
		return variable
	}
	return logic
}

// MOVM transposes a matrix. It takes its operands as products of matrices do or as shuffles do, whichever is
// sooner: five cycles after FMUL, which needs seven for a product, and 12 after IMMA, which needs 13 for a shuffle.

// classesOf returns the classes of an operation that writes some registers, of which that counts which needs
// less. From sm_120 on the uniform datapath has operations that share their numbers with others, such as UVIMNMX
// and UI2F.
func classesOf(op uint16, writes sass.Registers) []class {
	switch c := classOf(op); {
	case op == sass.OpMOVM:
		return []class{tensor, variable}
	case c == logic && writes.UR != [4]uint64{}:
		return []class{logic, uniform}
	default:
		return []class{c}
	}
}

// A pair is two instructions; the second accesses registers of the first.
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

// pairOf decodes the number of a pair.
func pairOf(n uint32) pair {
	return pair{uint16(n >> 9), kind(n >> 7 & 3), sass.File(n >> 5 & 3), class(n >> 1 & 15), n&1 == 1}
}

// A least is the least distance in cycles that the assembler leaves between the
// instructions of a pair, and how many it was seen with.
type least struct {
	pair   uint32
	cycles uint8
	count  uint32
}

// A generation is a group of SMs with the same issue distances.
type generation struct {
	since, until uint8

	// Of memory, between how many cycles after its instructions operands that nothing counts are read: the
	// least and the most that the assembler leaves at least before something writes over them. Both are
	// never where it always counts them.
	readsFrom, readsUntil uint8

	variable operations // whose results are counted on scoreboards
	fixed    operations // of these those that take a fixed time where nothing counts them
	least    []least    // by pair
	groups   []spread   // by group
}

// eras lists the first SM of each era. Kins are not shared between eras.
var eras = [...]int{75, 100}

// eraOf returns the index in eras of the era of an SM.
func eraOf(sm int) (era int) {
	for i, first := range eras {
		if sm >= first {
			era = i
		}
	}
	return era
}

// operations is a set of operations.
type operations [8]uint64

func (o operations) has(op uint16) bool { return o[op/64]>>(op%64)&1 == 1 }

func generationOf(sm int) *generation {
	for i := range generations {
		if g := &generations[i]; int(g.since) <= sm && sm <= int(g.until) {
			return g
		}
	}
	return nil
}

// A group is pairs of the same classes.
type group struct {
	first  class
	kind   kind
	file   sass.File
	second class
	write  bool
}

func (p pair) group() group { return group{classOf(p.first), p.kind, p.file, p.second, p.write} }

// kin stands for all groups with the same first class, of all generations of an era; those that end in
// one that takes an operand late are apart.
func (g group) kin() group {
	if g.second != wide {
		g.second = logic
	}
	if g.first == wide {
		g.first = multiply
	}
	return g
}

func (g group) number() uint32 {
	return pair{uint16(g.first), g.kind, g.file, g.second, g.write}.number()
}

// A spread is the least distance of the pairs of a group, and the greatest of their least
// distances.
type spread struct {
	group       uint32
	least, most uint8
	count       uint32
}

// find looks up the least distance of a pair.
func (g *generation) find(p pair) (l least, ok bool) {
	n := p.number()
	from, to := 0, len(g.least)
	for from < to { // not sort.Search, whose calls take most of the time of a check
		if half := (from + to) / 2; g.least[half].pair < n {
			from = half + 1
		} else {
			to = half
		}
	}
	if from == len(g.least) || g.least[from].pair != n {
		return least{}, false
	}
	return g.least[from], true
}

// findSpread looks up the row of a group.
func findSpread(rows []spread, g group) (s spread, ok bool) {
	n := g.number()
	i := sort.Search(len(rows), func(i int) bool { return rows[i].group >= n })
	if i == len(rows) || rows[i].group != n {
		return spread{}, false
	}
	return rows[i], true
}

// enough is the count from which on the least distance of a pair says what its group may
// need; often is that from which on a distance that it, or its kin, never has on any SM is a mistake, and
// veryOften that from which on one that it never has on its own SM is.
const enough, often, veryOften = 100, 1000, 30_000

// slack is how many cycles the least distance of a kin may be off, as in forms that were
// never seen.
const slack = 1

// multiplies reports whether instructions of a class may need the registers of an operand one after the other.
func multiplies(c class) bool { return c == wide || c == multiply }

// operandLate is how many cycles after the first register of an operand an instruction may need the others,
// as IMAD.WIDE and IMAD.HI the second one of their addend. Source: oracle, 2 cycles from IMAD.MOV, 3 from
// HFMA2, 4 and 5 elsewhere.
const operandLate = 2

// isEnough reports whether so many cycles are enough for a pair that was seen with no more. It is quick,
// and false of some for which [generation.bounds] is not: what comes late for an addend it leaves to that.
func (g *generation) isEnough(p pair, age uint8) bool {
	own, ok := g.find(p)
	return ok && p.second != wide && age >= own.cycles
}

// bounds returns between which distances the least one of a pair lies: below the first it
// is a mistake, from the second on it is none. What the assembler left once is enough.
func (g *generation) bounds(p pair) (from, to uint8) {
	to = horizon + 1
	if from = g.ofKin(p, slack); p.second == wide {
		from = g.ofKin(p, operandLate)
	}
	if all, ok := findSpread(g.groups, p.group()); ok {
		to = all.most
	}
	if own, ok := g.find(p); ok {
		to = min(to, own.cycles)
	}
	if p.write {
		to = min(to, g.written(p.first, p.file))
	}
	return min(from, to), to
}

// readTimes returns between how many cycles after an instruction its operands are read, if nothing counts them;
// never where that is not known.
func (g *generation) readTimes(first uint16) (from, to uint8) {
	if readerOf(first) != memory {
		return 0, never
	}
	return g.readsFrom, g.readsUntil
}

// never is more cycles than anything is old.
const never = horizon + 1

// written returns how many cycles after first its results are where everything finds them, so that another
// instruction may write there; horizon + 1 where that was not seen. Integers take some results sooner, on their way.
func (g *generation) written(first uint16, file sass.File) (cycles uint8) {
	for reader := logic + 1; reader < another; reader++ {
		if own, ok := g.find(pair{first, result, file, reader, false}); ok {
			cycles = max(cycles, own.cycles)
		}
	}
	if cycles == 0 {
		return horizon + 1
	}
	return cycles
}

// ever returns below which distance one of a pair is a mistake by what was seen of the pair itself: never left
// by the assembler on any SM of the family, if it was seen often there; or on its own SM, if very often.
func (g *generation) ever(p pair) uint8 {
	if cycles := g.leastEver(p); cycles > 0 {
		return cycles
	}
	least, count := g.leastOfFamily(p)
	if count < often {
		return 0
	}
	return least
}

// leastOfFamily returns the least distance that the assembler leaves for a pair on any SM of the family, and the
// number of times the pair was seen there.
func (g *generation) leastOfFamily(p pair) (least uint8, count uint32) {
	least = horizon
	for i := range generations {
		if own, ok := generations[i].find(p); ok && family(generations[i].since) == family(g.since) {
			least, count = min(least, own.cycles), count+own.count
		}
	}
	return least, count
}

// leastWritten returns below which distance nothing of the class of a pair ever writes after the first, on any SM of
// the family, where that was seen very often; else 0. The classes of what writes have quick and slow instructions, and
// the slow ones, which may follow sooner, are rare.
func (g *generation) leastWritten(p pair) uint8 {
	if least, count := g.leastOfFamily(p); count >= veryOften {
		return least
	}
	return 0
}

// leastEver returns the least distance of a pair on its own SM, if the pair was seen very often there; else 0.
func (g *generation) leastEver(p pair) uint8 {
	if own, ok := g.find(p); ok && own.count >= veryOften {
		return own.cycles
	}
	return 0
}

// family returns the first SM of a family. The SMs of a family are so similar that an issue distance seen on one
// may occur on another.
func family(sm uint8) uint8 {
	switch {
	case sm < 80:
		return 75
	case sm < 100:
		return 80
	}
	return 100
}

// ofKin returns below which distance one of a pair is a mistake, by the kin of its group, if
// that may be so many cycles off.
func (g *generation) ofKin(p pair, late uint8) uint8 {
	kin := p.group().kin()
	if kin.second == wide {
		kin.second = logic
	}
	if all, ok := findSpread(kins[eraOf(int(g.since))], kin); ok && all.count >= often {
		return all.least - min(all.least, late)
	}
	return 0
}

// after returns how many cycles after first the operation second may start at the soonest, if it is to write
// a register of a file later than first: what the results of first take longer, to whatever reads both
// of them. known is false, and it is 0, where no reader was seen with both.
func (g *generation) behind(first, second uint16, file sass.File) (cycles uint8, known bool) {
	const none = horizon + 1
	least := uint8(none)
	for reader := logic; reader < another; reader++ {
		a, seen := g.find(pair{first, result, file, reader, false})
		b, also := g.find(pair{second, result, file, reader, false})
		if seen && also && a.count >= enough && b.count >= enough {
			least = min(least, a.cycles-min(a.cycles, b.cycles))
		}
	}
	if least == none {
		return 0, false
	}
	return least, true
}
