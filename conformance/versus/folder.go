package versus

import (
	"bytes"

	"github.com/culink/culink/conformance/late"
)

// Each linker runs in a folder of its own, whose name has a random number. Only a register file contains that name, as part
// of identifiers. It is compared if a command line gives the register file and the output the same name.

var ownFolder = late.Regexp(`_cuconform_[0-9]+_work_`)

// withoutFolder returns an output without the name of the folder in which it was made.
func withoutFolder(output []byte) []byte {
	if bytes.HasPrefix(output, []byte("\x7fELF")) {
		return output
	}
	return ownFolder().ReplaceAllLiteral(output, []byte("_work_"))
}
