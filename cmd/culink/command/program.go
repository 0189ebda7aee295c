package command

import (
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
)

// If -lto has compiled all inputs to one program, nothing is left to link, and the program is written unchanged. PTX is
// the only output file. An executable is written together with the other output files, and its call graph is empty. If
// libcudadevrt is not among the inputs, nvlink fails after it has written the executable (LTO-005, LTO-006, LTO-007).

// writeProgram writes the output of -lto and then adds its messages to the log.
func (f *files) writeProgram(s *option.Settings, log *diag.Log, result *linker.Result, loaded *input.Loaded) {
	if p := loaded.Program; p.PTX || result.Log.Worst() >= diag.Error {
		output := p.Output
		if p.PTX {
			output = s.Platform.PTX(s.Output, output)
		}
		if f.write(log, s.Output, output) {
			log.Append(&result.Log)
		}
		return
	}
	f.writeOutputs(s, log, loaded, result)
}
