package nvinfo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// The notes of a cubin tell who made it. .note.nv.tkinfo holds one record for
// every tool that had a part in it, the linker's first; .note.nv.cuinfo holds one
// record with the virtual architecture and the toolkit of the file (INFO-020,
// INFO-021). Cubins before toolkit 13 have no notes and say the same in their
// header. For sm_100 and later those of 12.8 and 12.9 have .note.nv.cuver in place of
// .note.nv.cuinfo, with a record of version 1 that says nothing of the toolkit: that stands
// where the record of the tool has the version of the note (INFO-024).

// NoteOwner is the owner of NVIDIA's notes; the types of the two that are known.
const (
	NoteOwner      = "NVIDIA Corp"
	NoteTypeTKInfo = 2000
	NoteTypeCUInfo = 1000
)

// NoteVersion is the first number in both kinds of note; in those of 12.8 and 12.9 it is the release,
// and earlyOrigin.
const (
	NoteVersion = 2
	earlyOrigin = 1
)

// ToolNote is the section whose records name the tools that wrote a file.
const ToolNote = ".note.nv.tkinfo"

// A ToolInfo is one record of .note.nv.tkinfo. No string may hold a NUL.
type ToolInfo struct {
	Version uint32 // NoteVersion
	Object  string // name of the output, for a linker with -g; else empty
	Tool    string // "ptxas", "nvlink"
	Release string // "Cuda compilation tools, release 13.0, V13.0.88"
	Build   string // "Build cuda_13.0.r13.0/compiler.36424714_0"
	Options string // "-arch sm_90 "
}

// toolInfoHead is the length in bytes of the numbers before the strings: version,
// and the places of the five strings.
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

// DecodeToolInfo reads the description of a .note.nv.tkinfo record.
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

// An Origin says for what, and with what, a cubin was compiled.
type Origin struct {
	Virtual uint16 // virtual architecture: 75 for compute_75
	Toolkit uint16 // ten times the major version, and the minor one: 130
}

// Append appends the record of .note.nv.cuinfo to b, or that of .note.nv.cuver where it is early.
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

// noteHead is the length of what stands before the description of a note of NVIDIA's.
const noteHead = 12 + len(NoteOwner) + 1

// DecodeOrigin reads .note.nv.cuinfo, given the bytes of the file from there on, as
// nvlink does: whatever its head says, the record stands where it should. A record older than
// version 2 has no toolkit: that is the one given (INFO-022, INFO-024).
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

// OriginOf returns the origin of a file: from the header of an older one, else from
// the .note.nv.cuinfo to which the header's flags point (INFO-022).
func OriginOf(f *cubin.File) Origin {
	if f.ABIVersion <= cubin.ABIVersionLegacy {
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
	return DecodeOrigin(data, toolkitOfTool(f, &f.Sections[index]))
}

// toolkitOfTool returns the first number of the .note.nv.tkinfo that a .note.nv.cuinfo links
// to; 0 where it links to none (INFO-024).
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

// MergeOrigins returns the origin of an output for a target: the release, and the lowest virtual
// architecture of the inputs, and never one above the target's (INFO-021); in early notes that of the target, or
// of the last input (KIT-170).
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
