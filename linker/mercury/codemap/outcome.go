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
	// Replaced is the prevailing code, from another file, if this file's code was discarded for it. It gets the
	// lines of this file's Mercury code, at the offsets of instructions.
	Replaced *capsule.Code
	// Unfound reports that nvlink does not find the function, because an alias precedes it. The lines stay those
	// of the Mercury code (MERC-118).
	Unfound bool
}

// ofInner reports whether the lines are derived from those of the Mercury half.
func (o *Outcome) ofInner() bool { return o.Kept && (o.Replaced != nil || o.Unfound) }
