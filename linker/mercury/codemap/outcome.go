package codemap

import (
	"github.com/culink/culink/linker/mercury/capsule"
)

// A Sequence returns the outcome of the function that a relocation at an offset of a line table refers to.
type Sequence func(relocation uint64) Outcome

// An Outcome describes what happened to the function of a line sequence.
type Outcome struct {
	Map    Map    // of its code
	Number uint32 // number of its symbol in the output
	Kept   bool   // the output has a function of that name
	// Replaced is the code that stays, of another file, if this file's gave way to it. It
	// has the lines of this file's Mercury code, where the offsets are those of instructions.
	Replaced *capsule.Code
	// Unfound tells that nvlink does not find the function, because another name of its
	// code stands before its own: the lines stay those of the Mercury code (MERC-118).
	Unfound bool
}

// ofInner reports whether the lines are derived from those of the Mercury half.
func (o *Outcome) ofInner() bool { return o.Kept && (o.Replaced != nil || o.Unfound) }
