package program

import (
	"cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/nvinfo"
)

// The notes of the output record the tool, the toolkit and the options that made it, and its target (INFO-220).

// toolNote is the linker's own record of .note.nv.tkinfo.
func toolNote(opt *Options, kit *arch.Profile) []byte {
	version := uint32(nvinfo.NoteVersion)
	if kit.Info.EarlyNotes {
		version = kit.API
	}
	own := nvinfo.ToolInfo{
		Version: version, Object: opt.Object, Tool: opt.ToolName,
		Release: kit.Release, Build: cmp.Or(opt.Build, kit.Build), Options: opt.Note,
	}
	return own.Append(nil)
}

// Origin returns the compilation target of the output, and the release that links it.
func (m *Program) Origin() nvinfo.Origin {
	return nvinfo.MergeOrigins(m.Target, m.Origins)
}

// OriginNote returns the contents of .note.nv.cuinfo.
func (m *Program) OriginNote() []byte {
	return m.Origin().Append(nil, m.Target.Profile.Info.EarlyNotes)
}
