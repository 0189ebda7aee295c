package codemap

import (
	"github.com/culink/culink/linker/mercury/capsule"
)

// A Sequence says what became of the function that a relocation at an offset of a line
// table is against.
type Sequence func(relocation uint64) Outcome

// An Outcome is what became of a function whose lines a sequence has.
type Outcome struct {
	Map    Map    // of its code
	Number uint32 // of its symbol in the output
	Kept   bool   // a function of that name is left
	// Replaced is the code that stays, of another file, if this file's gave way to it. It
	// has the lines of this file's Mercury code, where the offsets are those of instructions.
	Replaced *capsule.Code
	// Unfound tells that nvlink does not find the function, because another name of its
	// code stands before its own: the lines stay those of the Mercury code (MERC-118).
	Unfound bool
}

// ofInner reports whether the lines are made from those of the Mercury half.
func (o *Outcome) ofInner() bool { return o.Kept && (o.Replaced != nil || o.Unfound) }
