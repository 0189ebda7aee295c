package hazard

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A kind is what of an instruction is in flight.
type kind uint8

const (
	result  kind = iota // registers that are not written yet
	operand             // registers that are not read yet

	// unwaited is no kind of flight but of pairs: results of variable latency that were
	// touched without a wait, in code that must be right, for a reason not understood.
	unwaited
)

const untracked = -1 // no scoreboard

// A queue is a unit whose instructions write their results in order: where a later one is
// over, the earlier ones are.
type queue uint8

const (
	sharedMemory queue = 1 + iota
	conversion
	doubles
	special
	matrices
	tensorMemory
	textures
	surfaces
	reductions
	barriers
	memory // operands alone
)

// queueOf is by the operation; it is 0 for what is in no queue.
func queueOf(op uint16) queue {
	switch op {
	case sass.OpMOVM, sass.OpLDSM, sass.OpSTSM, sass.OpLDS, sass.OpSTS, sass.OpSHFL, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMSPOPC, sass.OpQSPC:
		return sharedMemory
	case sass.OpFLO, sass.OpBREV, sass.OpFCHK, sass.OpF2F, sass.OpF2I, sass.OpI2F, sass.OpFRND, sass.OpMUFU, sass.OpPOPC, sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64:
		return conversion
	case sass.OpDMUL, sass.OpDADD, sass.OpDSETP, sass.OpDFMA:
		return doubles
	case sass.OpS2R, sass.OpS2UR:
		return special
	case sass.OpIMMA, sass.OpHMMA, sass.OpDMMA:
		return matrices
	case sass.OpTEX, sass.OpTEXB, sass.OpTLD4, sass.OpTLD4B, sass.OpTLD, sass.OpTLDB, sass.OpTMML, sass.OpTMMLB, sass.OpTXD, sass.OpTXDB, sass.OpTXQ, sass.OpTXQB:
		return textures
	case 0x197, 0x198, sass.OpSULD, 0x19a: // SULD in all its forms
		return surfaces
	case sass.OpREDUX:
		return reductions
	case sass.OpB2R: // what unit it shares with others was not measured
		return barriers
	case sass.OpLDTM:
		return tensorMemory
	}
	return 0
}

// readerOf is the unit that reads the operands of an operation in order. All of memory is
// one.
func readerOf(op uint16) queue {
	switch op {
	case sass.OpLD, sass.OpLDG, sass.OpLDL, sass.OpST, sass.OpSTG, sass.OpSTL, sass.OpATOM, sass.OpATOMCAS, sass.OpRED, sass.OpATOMGFloat, sass.OpREDGFloat, sass.OpATOMG, sass.OpATOMGCAS, sass.OpLDGSTS:
		return memory
	}
	switch q := queueOf(op); q {
	case sharedMemory, reductions:
		return memory
	default:
		return q
	}
}

// horizon is how many cycles something of fixed latency is kept in mind; nothing takes
// that long.
const horizon = 64

// A flight is what one instruction has outstanding before another one: of all paths that
// lead there the worst.
type flight struct {
	at      int // the instruction
	kind    kind
	board   int8           // the scoreboard that counts it; untracked when none does
	age     uint8          // cycles since it started, at least, up to horizon
	younger uint8          // how many started after it on its scoreboard, at least
	stale   bool           // the predicate of its guard may have changed
	carried bool           // every path from it leads around a loop
	fenced  bool           // a fence came after it, which may take longer than it stalls
	forever bool           // no scoreboard of its own tells when it is over
	over    uint8          // a bit for each scoreboard: a wait for one of these means that it is over
	behind  int8           // where nothing counts it: the scoreboard of one that is over after it; untracked when none is
	later   uint8          // how many started on that scoreboard after that one, at least
	marks   uint64         // of live
	live    sass.Registers // those of its registers that nothing wrote since
}

// carriedUnwaited reports whether f is results of the round of a loop before this one, which
// nothing waited for. NVIDIA's assembler leaves out such a wait in one function of thousands,
// where the wait in the same round for what was written before the loop is another one.
func (f *flight) carriedUnwaited() bool { return f.kind == result && f.board >= 0 && f.carried }

// isBefore reports whether f comes before g in a state.
func (f *flight) isBefore(g *flight) bool {
	return f.at < g.at || f.at == g.at && f.kind < g.kind
}

// merge makes f the worse of f and g, and reports whether that changed it.
func (f *flight) merge(g *flight) (changed bool) {
	before := *f
	f.age, f.younger = min(f.age, g.age), min(f.younger, g.younger)
	f.stale, f.carried, f.fenced = f.stale || g.stale, f.carried && g.carried, f.fenced || g.fenced
	f.over &= g.over
	if f.later = min(f.later, g.later); f.behind != g.behind {
		f.behind, f.later = untracked, 0
	}
	f.live, f.marks = f.live.Union(g.live), f.marks|g.marks
	return *f != before
}

// A state is all that is in flight before an instruction, in the order of the code.
type state []flight

// merge adds the flights of t to s.
func (s state) merge(t state) (merged state, changed bool) {
	if len(s) == 0 {
		return slices.Clone(t), len(t) > 0
	}
	merged = s
	at := 0
	for i := range t {
		f := &t[i]
		for at < len(merged) && merged[at].isBefore(f) {
			at++
		}
		switch {
		case at == len(merged) || f.isBefore(&merged[at]):
			merged = slices.Insert(merged, at, *f)
			changed = true
		case merged[at].merge(f):
			changed = true
		}
	}
	return merged, changed
}

// add adds f, which starts: of all that the same instruction has started the latest, whose registers are all that
// it ever has.
func (s state) add(f *flight) state {
	at := len(s)
	for at > 0 && f.isBefore(&s[at-1]) {
		at--
	}
	if at == 0 || s[at-1].isBefore(f) {
		return slices.Insert(s, at, *f)
	}
	old := &s[at-1]
	f.stale = f.stale || old.stale
	*old = *f
	return s
}

// filter keeps the flights that are not over, in the memory of s.
func (s state) filter(isOver func(f *flight) bool) state {
	kept := 0
	for k := range s {
		if isOver(&s[k]) {
			continue
		}
		if kept < k {
			s[kept] = s[k]
		}
		kept++
	}
	return s[:kept]
}
