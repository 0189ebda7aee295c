package linker

import (
	"cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The notes of the output: which tool made it, from which toolkit, with which
// options, and for what (INFO-220).

// toolNote is the linker's own record of .note.nv.tkinfo.
func toolNote(opt *Options) []byte {
	kit := arch.Toolkit13_0
	own := nvinfo.ToolInfo{
		Version: nvinfo.NoteVersion, Object: opt.Object, Tool: opt.ToolName,
		Release: kit.Release, Build: cmp.Or(opt.Build, kit.Build), Options: opt.Note,
	}
	return own.Append(nil)
}

// originNote is .note.nv.cuinfo.
func (m *merged) originNote() []byte {
	return nvinfo.MergeOrigins(m.target.Number, uint16(arch.Toolkit13_0.API), m.origins).Append(nil)
}

// takesNote tells whether the note section s of the input goes on that of the same name,
// as data does: those of tools, into an executable. What an input was compiled for is
// read and merged (INFO-022).
func (in *merger) takesNote(s *cubin.Section) bool {
	return s.Type == cubin.SectionNote && s.Flags&cubin.FlagCUInfo == 0 && !in.options.Relocatable
}
