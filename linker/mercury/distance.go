package mercury

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// Where double precision is slow, on sm_103 and from sm_110 on, the compilers up to 13.3 keep
// its instructions apart: by NOPs, which wait for nothing but time, and by the stall of the
// instruction before. Later finalizers take the distance away (KIT-050).

// withoutDistances returns steps without the NOPs that keep instructions of double precision apart, and products of matrices
// from these. Those of the program stay; behind a product in the same block NOPs may stand for its sake, and stay.
func withoutDistances(steps []step, ofProgram set) []step {
	products := newSet(len(steps)) // what comes after products of matrices
	for i, isAfter := 0, false; i < len(steps); i++ {
		if isAfter {
			products.add(i)
		}
		isAfter = (isAfter || steps[i].isMatrixProduct()) && !steps[i].leaves() && !steps[i].branches()
	}
	kept := make([]step, 0, len(steps))
	var apart instruction // that follows, with nothing but distances between
	for i, x := range slices.Backward(steps) {
		switch {
		case x.isDistance() && apart.isKeptApart() && !ofProgram.has(x.old) && !products.has(i):
			continue
		case x.isKeptApart() && !products.has(i):
			x.comeClose(apart)
			apart = x.instruction
		default:
			x.comeClose(apart)
			apart = instruction{}
		}
		kept = append(kept, x)
	}
	slices.Reverse(kept)
	return kept
}

// isKeptApart reports whether NOPs may stand before x to keep it from an instruction of double precision.
func (x instruction) isKeptApart() bool { return x.isDouble() || x.isMatrixProduct() }

// alone returns the numbers of the machine instructions that are a Mercury instruction each, with a record: a
// NOP of these is the program's.
func (c *Capsule) alone() set {
	list := newSet(c.machine)
	for _, m := range c.Instructions() {
		if m.Count == 1 && m.Record != nil {
			list.add(m.First)
		}
	}
	return list
}

// comeClose lets x, whose result a following instruction of double precision waits for on a
// scoreboard, stall no longer than until that is set.
func (x *instruction) comeClose(double instruction) {
	const untilSet = 2
	if board := x.WriteBarrier(); board != sass.NoBarrier && double.isDouble() && double.WaitsFor(int(board)) && x.Stall() > untilSet {
		*x = x.stallsOn(untilSet)
	}
}

// isDouble reports whether x is one of the instructions that are kept apart.
func (x instruction) isDouble() bool {
	switch x.Op() {
	case sass.OpDMUL, sass.OpDADD, sass.OpDSETP, sass.OpDFMA, sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64:
		return true
	}
	return false
}

// isMatrixProduct reports whether x multiplies matrices.
func (x instruction) isMatrixProduct() bool {
	switch x.Op() {
	case sass.OpIMMA, sass.OpHMMA, sass.OpDMMA, sass.OpQMMA, sass.OpOMMA:
		return true
	}
	return false
}

// isDistance reports whether x is a NOP that waits for nothing but time.
func (x instruction) isDistance() bool {
	return x.Op() == sass.OpNOP && !x.conditional() && x.WaitMask() == 0 && x.WriteBarrier() == sass.NoBarrier && x.ReadBarrier() == sass.NoBarrier
}
