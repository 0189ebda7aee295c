package mercury

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/stall"
)

// A work holds a function while the passes run over it.
type work struct {
	Function
	capsule *capsule.Capsule
	code    []machine.Instr // of the input
	steps   []codemap.Step  // of the output, so far
	changes Changes         // so far
	kept    fmt.Stringer    // why the scoreboards of the input are kept; nil if they are not

	optimized       bool // the compiler scheduled the code
	insertsBarriers bool // barriers that the input does not have are inserted before EXITs (MERC-123)

	closed   bool // a leaf kernel: no other code runs (MERC-119)
	restalls bool // stalls are recomputed (KIT-106)
	closer   bool // the issue distance of double precision was removed (KIT-050)
}

// codeMap is the map of the steps so far.
func (w *work) codeMap() codemap.Map { return codemap.New(len(w.code), uint64(len(w.Text)), w.steps) }

// stalls returns the code whose stalls are recomputed.
func (w *work) stalls() *stall.Code {
	return &stall.Code{
		Steps: w.steps, Before: w.code, Map: w.codeMap(), Targets: w.Targets,
		Input: w.Input, Target: w.Target, ClosesDistances: w.closesDistances(), Later: w.From.Later, Alone: w.capsule.Alone(),
	}
}

// replace sets other steps and returns change, if instructions were removed or inserted. Otherwise it keeps the
// steps and returns Clean: no stall has to be recomputed.
func (w *work) replace(steps []codemap.Step, change Changes) Changes {
	if slices.EqualFunc(steps, w.steps, func(x, y codemap.Step) bool { return x.Old == y.Old && x.Inserted == y.Inserted }) {
		return Clean
	}
	w.steps = steps
	return change
}

// encode returns text with its instructions replaced by those of steps.
func encode(steps []codemap.Step, text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, x := range steps {
		out = x.Append(out)
	}
	return append(out, text[len(out):]...)
}
