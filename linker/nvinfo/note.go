package nvinfo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// The notes of a cubin record how it was made. .note.nv.tkinfo has one record for every tool involved, with the
// linker's first. .note.nv.cuinfo has one record with the virtual architecture and the toolkit of the file
// (INFO-020, INFO-021). Cubins before toolkit 13 have no notes; their header contains this information. The
// cubins of 12.8 and 12.9 for sm_100 and later are different: they have .note.nv.cuver instead of
// .note.nv.cuinfo. Its record has version 1 and does not contain the toolkit. The tool record has the toolkit
// in the place of the note version (INFO-024).

// NoteOwner is the owner of NVIDIA's notes. The two known types of notes follow.
const (
	NoteOwner      = "NVIDIA Corp"
	NoteTypeTKInfo = 2000
	NoteTypeCUInfo = 1000
)

// NoteVersion is the first number in both kinds of note. In the tool notes of 12.8 and 12.9 this number is the
// release, in their other note it is earlyOrigin.
const (
	NoteVersion = 2
	earlyOrigin = 1
)

// ToolNote is the section that lists the tools that wrote a file.
const ToolNote = ".note.nv.tkinfo"

// A ToolInfo is one record of .note.nv.tkinfo. The strings must not contain a NUL.
type ToolInfo struct {
	Version uint32 // NoteVersion
	Object  string // name of the output, for a linker with -g; otherwise empty
	Tool    string // "ptxas", "nvlink"
	Release string // "Cuda compilation tools, release 13.0, V13.0.88"
	Build   string // "Build cuda_13.0.r13.0/compiler.36424714_0"
	Options string // "-arch sm_90 "
}

// toolInfoHead is the size in bytes of the numbers before the strings: the version, and the offsets of the five
// strings.
const toolInfoHead = 24

func (t *ToolInfo) texts() [5]*string {
	return [5]*string{&t.Object, &t.Tool, &t.Release, &t.Build, &t.Options}
}

// Append appends the note record of t to b.
func (t ToolInfo) Append(b []byte) []byte {
	le := binary.LittleEndian
	desc := le.AppendUint32(nil, t.Version)
	var text strings.Builder
	for _, s := range t.texts() {
		desc = le.AppendUint32(desc, uint32(text.Len()))
		text.WriteString(*s)
		text.WriteByte(0)
	}
	return cubin.AppendNote(b, NoteOwner, NoteTypeTKInfo, append(desc, text.String()...))
}

// DecodeToolInfo reads a .note.nv.tkinfo record from the description of the note.
func DecodeToolInfo(desc []byte) (ToolInfo, error) {
	var t ToolInfo
	if len(desc) < toolInfoHead {
		return t, &FormatError{0, "tool note is cut off", fmt.Sprintf("%d bytes", len(desc))}
	}
	le := binary.LittleEndian
	t.Version = le.Uint32(desc)
	text := desc[toolInfoHead:]
	for i, s := range t.texts() {
		at := le.Uint32(desc[4+4*i:])
		if uint64(at) > uint64(len(text)) {
			return t, &FormatError{4 + 4*i, "string of the tool note lies past its end", at}
		}
		end := bytes.IndexByte(text[at:], 0)
		if end < 0 {
			return t, &FormatError{toolInfoHead + int(at), "string of the tool note without end", at}
		}
		*s = string(text[at : int(at)+end])
	}
	return t, nil
}

// An Origin records the target and the toolkit for which a cubin was compiled.
type Origin struct {
	Virtual uint16 // virtual architecture: 75 for compute_75
	Toolkit uint16 // major*10+minor: 130
}

// Append appends the record of .note.nv.cuinfo to b, or that of .note.nv.cuver if early is set.
func (o Origin) Append(b []byte, early bool) []byte {
	le := binary.LittleEndian
	if early {
		desc := le.AppendUint16(nil, earlyOrigin)
		desc = le.AppendUint16(desc, o.Virtual)
		desc = le.AppendUint32(desc, 1)
		desc = le.AppendUint32(desc, 1)
		return cubin.AppendNote(b, NoteOwner, NoteTypeCUInfo, desc)
	}
	desc := le.AppendUint16(nil, NoteVersion)
	desc = le.AppendUint16(desc, o.Virtual)
	desc = le.AppendUint16(desc, o.Toolkit)
	desc = le.AppendUint16(desc, 0)
	return cubin.AppendNote(b, NoteOwner, NoteTypeCUInfo, desc)
}

// noteHead is the size of NVIDIA's notes before the description.
const noteHead = 12 + len(NoteOwner) + 1

// DecodeOrigin reads .note.nv.cuinfo from data, the bytes of the file from its start on. As in nvlink, the
// record is read at its usual place, whatever the note's header contains. A record older than version 2 has no
// toolkit, so that the parameter toolkit is used instead (INFO-022, INFO-024).
func DecodeOrigin(data []byte, toolkit uint16) Origin {
	if len(data) < noteHead+8 {
		return Origin{}
	}
	le := binary.LittleEndian
	o := Origin{Virtual: le.Uint16(data[noteHead+2:]), Toolkit: toolkit}
	if le.Uint16(data[noteHead:]) >= NoteVersion {
		o.Toolkit = le.Uint16(data[noteHead+4:])
	}
	return o
}

// OriginOf returns the origin of a file as the default release reads it.
func OriginOf(f *cubin.File) Origin { return OriginIn(arch.Default, f) }

// OriginIn returns the origin of a file as a release reads it. For an older file, it is in the header.
// Otherwise it is in .note.nv.cuinfo, whose index is in the header's flags (INFO-022, KIT-216).
func OriginIn(p *arch.Profile, f *cubin.File) Origin {
	if f.ABIVersion <= cubin.ABIVersionLegacy || !p.Accept.ReadsOrigins {
		return Origin{Virtual: uint16(f.Flags >> 16 & 0xff), Toolkit: uint16(f.Version)}
	}
	index := f.Flags >> 24
	if int(index) >= len(f.Sections) || f.Sections[index].Type != cubin.SectionNote {
		return Origin{}
	}
	data, err := f.DataAhead(index)
	if err != nil {
		return Origin{}
	}
	tool := toolkitOfTool(f, &f.Sections[index])
	o := DecodeOrigin(data, tool)
	if !p.Accept.ReadsRelease {
		o.Toolkit = tool
	}
	return o
}

// toolkitOfTool returns the first number of the .note.nv.tkinfo section to which a .note.nv.cuinfo section
// links. It returns 0 if there is no such section (INFO-024).
func toolkitOfTool(f *cubin.File, origin *cubin.Section) uint16 {
	if origin.Flags&cubin.FlagCUInfo == 0 || int(origin.Link) >= len(f.Sections) {
		return 0
	}
	tool := &f.Sections[origin.Link]
	if tool.Type != cubin.SectionNote || tool.Flags&cubin.FlagTKInfo == 0 {
		return 0
	}
	data, err := f.Data(origin.Link)
	if err != nil || len(data) < noteHead+4 {
		return 0
	}
	return uint16(binary.LittleEndian.Uint32(data[noteHead:]))
}

// MergeOrigins returns the origin of an output for a target. It has the release, and the lowest virtual
// architecture of the inputs, but at most that of the target (INFO-021). Early notes have the origin of the
// target, or of the last input (KIT-170).
func MergeOrigins(target arch.Target, inputs []Origin) Origin {
	kit := target.Profile
	o := Origin{Virtual: uint16(target.Number), Toolkit: uint16(kit.API)}
	switch early := kit.Info.Notes && kit.Info.EarlyNotes; {
	case early && kit.Info.OriginOfTarget:
		return o
	case early && kit.Info.OriginOfLast && len(inputs) > 0:
		inputs = inputs[len(inputs)-1:]
	}
	for _, in := range inputs {
		o.Virtual = min(o.Virtual, in.Virtual)
	}
	return o
}
