package codemap

import (
	"github.com/culink/culink/linker/mercury/capsule"
)

// A Sequence returns the outcome of a function. The argument is the offset in a line table of a relocation that
// refers to the function.
type Sequence func(relocation uint64) Outcome

// An Outcome describes what happened to the function of a line sequence.
type Outcome struct {
	Map    Map    // of its code
	Number uint32 // number of its symbol in the output
	Kept   bool   // the output has a function of that name
	// Replaced is the prevailing code of another file, if this file's code was discarded for it. That code gets
	// the lines of this file's Mercury code, at the offsets of its instructions.
	Replaced *capsule.Code
	// Unfound is set if nvlink does not find the function because an alias precedes it. The lines then stay
	// those of the Mercury code (MERC-118).
	Unfound bool
}

// ofInner reports whether the lines come from those of the Mercury half.
func (o *Outcome) ofInner() bool { return o.Kept && (o.Replaced != nil || o.Unfound) }
