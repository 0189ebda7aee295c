package program

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/nvinfo"
)

// The notes of the output: which tool made it, from which toolkit, with which
// options, and for what (INFO-220).

// toolNote is the linker's own record of .note.nv.tkinfo.
func toolNote(opt *Options) []byte {
	kit := arch.Toolkit13_0
	own := nvinfo.ToolInfo{
		Version: nvinfo.NoteVersion, Object: opt.Object, Tool: opt.ToolName,
		Release: kit.Release, Build: kit.Build, Options: opt.Note,
	}
	return own.Append(nil)
}

// OriginNote is .note.nv.cuinfo.
func (m *Program) OriginNote() []byte {
	return nvinfo.MergeOrigins(m.Target.Number, uint16(arch.Toolkit13_0.API), m.Origins).Append(nil)
}
