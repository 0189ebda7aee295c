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

// writeProgram writes the output of -lto, and then says what is to say of it.
func (f *files) writeProgram(s *option.Settings, log *diag.Log, result *linker.Result, loaded *input.Loaded) {
	if p := loaded.Program; p.PTX || result.Log.Worst() >= diag.Error {
		output := p.Output
		if p.PTX {
			output = s.Platform.Encode(output)
		}
		if f.write(log, s.Output, output) {
			log.Append(&result.Log)
		}
		return
	}
	f.writeOutputs(s, log, loaded, result)
}
