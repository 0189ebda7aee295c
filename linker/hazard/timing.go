package hazard

import (
	"sort"

	"github.com/culink/culink/linker/sass"
)

// A class is a kind of instructions that read their operands equally soon. Distances depend on it.
type class uint8

const (
	logic    class = iota // integers, comparisons, moves
	multiply              // integer multiplication, floats
	wide                  // integer multiplication whose addend has two registers, the second of which is needed late
	half                  // pairs of halves
	double                // 64-bit floats
	tensor                // matrices
	uniform               // the uniform datapath
	control               // branches, barriers
	variable              // memory, conversions, and all other variable latencies
	another               // any first instruction of another function
)

func (c class) String() string {
	return [...]string{"logic", "multiply", "wide", "half", "double", "tensor", "uniform", "control", "variable", "another"}[c]
}

// classOf returns the class of an operation. op is the low nine bits of the opcode.
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

// MOVM transposes a matrix. It reads its operand like a matrix product or like a shuffle, whichever is sooner.
// That is five cycles after FMUL, where a product needs seven, and 12 cycles after IMMA, where a shuffle needs
// 13.

// classesOf returns the possible classes of an operation that writes the given registers. The class with the
// smaller distance counts. From sm_120 on, operations of the uniform datapath share their numbers with others,
// such as UVIMNMX and UI2F.
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

// A pair is two instructions, the second of which accesses registers of the first.
type pair struct {
	first  uint16 // its operation
	kind   kind   // whether its results are accessed, or its operands overwritten
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

// A least is the minimum distance in cycles that the assembler leaves between the instructions of a pair, and
// the number of times that the pair was seen.
type least struct {
	pair   uint32
	cycles uint8
	count  uint32
}

// A generation is a group of SMs with the same issue distances.
type generation struct {
	since, until uint8

	// These are bounds of the cycles within which memory instructions read operands that no scoreboard counts.
	// They are the smallest and the largest of the distances that the assembler keeps before an overwrite. Both
	// are never if the assembler always uses a scoreboard.
	readsFrom, readsUntil uint8

	variable operations // operations whose results are counted on scoreboards
	fixed    operations // those of them with a fixed latency if nothing counts them
	least    []least    // by pair
	groups   []spread   // by group
}

// eras lists the first SM of each era. Observations of one era are not used for another.
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

// isSlow reports whether the results of an operation never become available unless a scoreboard counts them. That holds for
// every operation of a unit of variable latency, also if the random kernels of linker/hazard/learn hold none (MERC-440).
func (g *generation) isSlow(op uint16) bool {
	return g.variable.has(op) || findsSpace(op) || queueOf(op).takesLong()
}

// mayBeFixed reports whether results of an operation that nothing counts may have a fixed latency. In what the table was learned
// from the barrier unit seemed to have some: those that a later one of its unit completes.
func (g *generation) mayBeFixed(op uint16) bool {
	return g.fixed.has(op) && !queueOf(op).takesLong()
}

func generationOf(sm int) *generation {
	for i := range generations {
		if g := &generations[i]; int(g.since) <= sm && sm <= int(g.until) {
			return g
		}
	}
	return nil
}

// A group contains the pairs of the same classes.
type group struct {
	first  class
	kind   kind
	file   sass.File
	second class
	write  bool
}

func (p pair) group() group { return group{classOf(p.first), p.kind, p.file, p.second, p.write} }

// kin returns the group that stands for all groups with the same first class, in all generations of an era.
// Groups whose second class reads an operand late have a kin of their own.
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

// A spread contains the smallest and the largest of the minimum distances of the pairs of a group.
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

// enough, often and veryOften are numbers of times that a pair must have been seen. From enough on, the minimum
// distance of a pair limits what its group requires. From often on, a distance that the pair or its kin never
// has on any SM is an error. From veryOften on, a distance that the pair never has on its own SM is an error.
const enough, often, veryOften = 100, 1000, 30_000

// slack is the possible error of a kin's minimum distance in cycles, for example because of forms that were
// never seen.
const slack = 1

// multiplies reports whether instructions of a class may need the registers of an operand at different times.
func multiplies(c class) bool { return c == wide || c == multiply }

// operandLate is the number of cycles by which an instruction may need the further registers of an operand later
// than the first. IMAD.WIDE and IMAD.HI need the second register of their addend later. Source: oracle, 2 cycles
// from IMAD.MOV, 3 from HFMA2, 4 and 5 elsewhere.
const operandLate = 2

// isEnough reports whether age cycles are enough for a pair because it was seen with so few. It is a fast test
// that returns false in some cases that [generation.bounds] accepts, such as late addends.
func (g *generation) isEnough(p pair, age uint8) bool {
	own, ok := g.find(p)
	return ok && p.second != wide && age >= own.cycles
}

// bounds returns bounds of the distance that a pair needs. A distance below from is an error. A distance of at
// least to is enough. A distance that the assembler has used once is enough.
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

// readTimes returns the range of cycles after an instruction in which uncounted operands are read, or never if
// it is unknown.
func (g *generation) readTimes(first uint16) (from, to uint8) {
	if readerOf(first) != memory {
		return 0, never
	}
	return g.readsFrom, g.readsUntil
}

// never is more than the maximum age in cycles.
const never = horizon + 1

// written returns the number of cycles after first until its results are generally available, so that another
// instruction may write the same registers. It is horizon + 1 if this was not seen. Integer instructions get
// some results sooner, through forwarding.
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

// ever returns the distance below which a pair is an error according to its own observations. The assembler
// never uses a smaller one on any SM of the family if the pair was seen often there, or on the pair's own SM if
// it was seen very often there.
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

// leastOfFamily returns the minimum distance that the assembler leaves for a pair on any SM of the family, and
// the number of times that the pair was seen there.
func (g *generation) leastOfFamily(p pair) (least uint8, count uint32) {
	least = horizon
	for i := range generations {
		if own, ok := generations[i].find(p); ok && family(generations[i].since) == family(g.since) {
			least, count = min(least, own.cycles), count+own.count
		}
	}
	return least, count
}

// leastWritten returns the smallest distance at which an instruction of the pair's class writes after the first
// one, on any SM of the family. It is 0 if this was not seen very often. Classes that write contain quick and
// slow instructions. The slow ones may follow sooner, and are rare.
func (g *generation) leastWritten(p pair) uint8 {
	if least, count := g.leastOfFamily(p); count >= veryOften {
		return least
	}
	return 0
}

// leastEver returns the minimum distance of a pair on its own SM, or 0 if the pair was not seen very often
// there.
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

// ofKin returns the distance below which a pair is an error according to the kin of its group. late is how many
// cycles that distance may be too long.
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

// behind returns the number of cycles after first from which on the operation second may start, if it must write
// a register of a file later than first. This is the difference of their latencies for every common reader.
// known is false if no common reader was seen.
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
