package hazard

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A kind is the kind of an outstanding event.
type kind uint8

const (
	result  kind = iota // registers that are not written yet
	operand             // registers that are not read yet

	// unwaited is a kind of pairs, not of flights. It stands for results of variable latency that correct
	// code accesses without a wait, for a reason that is not understood.
	unwaited

	space // the predicate that an atomic finds when it reads its operands (MERC-982)
)

const untracked = -1 // no scoreboard

// A queue is a unit whose instructions write their results in order. If a later one is complete, the earlier
// ones are.
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
	memory // only for operands
)

// queueOf returns the unit that writes the results of an operation in order, or 0 if there is none.
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
	case sass.OpSULDP, sass.OpSULDPB, sass.OpSULD, sass.OpSULDB:
		return surfaces
	case sass.OpREDUX:
		return reductions
	case sass.OpB2R: // the other operations of its unit were not measured
		return barriers
	case sass.OpLDTM:
		return tensorMemory
	}
	return 0
}

// endInOrder reports whether the results of an operation of unit first are available when those of a later operation of
// unit second are.
func endInOrder(first, second queue) bool {
	return first != 0 && (first == second || first == textures && second == surfaces || first == surfaces && second == textures)
}

// findsSpace reports whether an operation is an atomic on generic addresses that writes a predicate: whether the
// address is global. It writes that predicate when it has read its operands, and not with its result (MERC-982). No table of
// distances has it: the random kernels of linker/hazard/learn hold none.
func findsSpace(op uint16) bool { return op == sass.OpATOMFloat }

// takesLong reports whether the operations of a unit have variable latency on every SM. Those of 64-bit floats and
// matrices have a fixed one on some.
func (q queue) takesLong() bool { return q != 0 && q != doubles && q != matrices }

// readsLate reports whether an operation that is no memory access reads general registers some time after it starts. NVIDIA's
// assembler always counts them if something overwrites them (MERC-440).
func readsLate(op uint16) bool {
	switch op {
	case sass.OpBAR, sass.OpBMOVTo, sass.OpSUST, sass.OpUBLKCP:
		return true
	}
	return false
}

// readerOf returns the unit that reads the operands of an operation in order. All memory operations have the
// same unit, with those to an mbarrier.
func readerOf(op uint16) queue {
	switch op {
	case sass.OpLD, sass.OpLDG, sass.OpLDL, sass.OpST, sass.OpSTG, sass.OpSTL, sass.OpATOM, sass.OpATOMCAS, sass.OpRED, sass.OpATOMGFloat, sass.OpREDGFloat, sass.OpATOMG, sass.OpATOMGCAS, sass.OpLDGSTS, sass.OpLDG256, sass.OpSTG256, sass.OpSYNCS, sass.OpSYNCSExchange, sass.OpSYNCSInvalidate, sass.OpSTAS, sass.OpREDAS:
		return memory
	case sass.OpSUST: // also in the order of reads of surfaces
		return surfaces
	}
	switch q := queueOf(op); q {
	case sharedMemory, reductions:
		return memory
	default:
		return q
	}
}

// horizon is the number of cycles after which an event of fixed latency is no longer tracked. No such event
// takes that long.
const horizon = 64

// A flight is an outstanding event of one instruction, as it is before another instruction. It combines the
// worst case of all paths to that instruction.
type flight struct {
	at      int // the instruction
	kind    kind
	board   int8           // the scoreboard that counts it; untracked if none does
	age     uint8          // minimum number of cycles since it started, up to horizon
	younger uint8          // minimum number of events that started later on its scoreboard
	stale   bool           // the predicate of its guard may have changed
	carried bool           // every path from it follows a back edge
	fenced  bool           // a fence came after it, which may take longer than its stall
	forever bool           // no scoreboard counts it, and no time limit applies
	over    uint8          // a bit for each scoreboard: a wait for one of these means that the event is complete
	behind  int8           // if it is not counted: the scoreboard of an event that completes after it; untracked if there is none
	later   uint8          // minimum number of events that started on that scoreboard after that one
	marks   uint64         // of the registers in live
	live    sass.Registers // its registers that were not written since
}

// carriedUnwaited reports whether f is a result of the previous iteration of a loop that nothing waited for.
// NVIDIA's assembler omits such a wait in one of some thousands of functions. It does so only if the same
// iteration has a separate wait for the value written before the loop.
func (f *flight) carriedUnwaited() bool { return f.kind == result && f.board >= 0 && f.carried }

// isBefore reports whether f precedes g in a state.
func (f *flight) isBefore(g *flight) bool {
	return f.at < g.at || f.at == g.at && f.kind < g.kind
}

// merge makes f the worse of f and g, and reports whether this changed f.
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

// A state contains all outstanding events before an instruction, in the order of the code.
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

// add adds f when its instruction starts. If the same instruction has started other flights, only the latest
// one is kept, because it has all of their registers.
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

// filter removes the flights that are complete. The result uses the memory of s.
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
