package linker

import (
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// The notes of the output: which tool made it, from which toolkit, with which
// options (INFO-220).

const (
	noteOwner  = "NVIDIA Corp"
	noteTKInfo = 2000
	noteCUInfo = 1000
)

// toolNote is the linker's own record of .note.nv.tkinfo: a version, the offsets
// of five strings, and the strings: object, tool, release, build, options.
func toolNote(opt *Options) []byte {
	kit := arch.Toolkit13_0
	desc := appendWords(nil, 2)
	var text strings.Builder
	for _, s := range []string{opt.Object, opt.ToolName, kit.Release, kit.Build, opt.Note} {
		desc = appendWords(desc, uint32(text.Len()))
		text.WriteString(s)
		text.WriteByte(0)
	}
	return cubin.AppendNote(nil, noteOwner, noteTKInfo, append(desc, text.String()...))
}

// cuInfoNote is .note.nv.cuinfo: the lowest virtual architecture of the inputs and
// the version of the linker's toolkit.
func cuInfoNote(virtual uint16) []byte {
	desc := appendWords(nil, 2|uint32(virtual)<<16, arch.Toolkit13_0.API)
	return cubin.AppendNote(nil, noteOwner, noteCUInfo, desc)
}
