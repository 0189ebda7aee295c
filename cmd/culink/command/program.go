package command

import (
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
)

// When -lto has made one program of all inputs, there is nothing to link: its output is
// written as it is. PTX comes alone. An executable comes with the files beside it, of which
// the call graph is empty; where libcudadevrt is not among the inputs, nvlink fails after
// it has written the executable (LTO-005, LTO-006, LTO-007).

// writeProgram writes the output of -lto, and returns what a link of it would have made.
func (f *files) writeProgram(s *option.Settings, log *diag.Log, loaded *input.Loaded) *linker.Result {
	p := loaded.Program
	result := &linker.Result{Output: p.Output, Dot: linker.EmptyDot(), System: s.KeepSystem}
	switch {
	case p.PTX:
		f.write(log, s.Output, p.Output)
	case p.NoRuntime && !s.KeepSystem:
		if f.write(log, s.Output, p.Output) {
			log.Report(diag.NoDeviceRuntime)
		}
	default:
		f.writeOutputs(s, log, loaded, result)
	}
	return result
}
