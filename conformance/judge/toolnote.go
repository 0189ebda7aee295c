package judge

import (
	"bytes"
	"slices"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// A Cause is the only cause of a difference, if it is known.
type Cause string

// The causes that a comparison finds.
const (
	CauseToolName Cause = "tool-name" // the name of the linker in the tool note
	CauseToolNote Cause = "tool-note" // other texts of the tool note
)

// noteCauses sets the cause of differences in bytes that come only from the tool note.
func noteCauses(differences []Difference, want, got *attempt.Outcome) {
	for i := range differences {
		if d := &differences[i]; d.Facet == FacetBytes {
			d.Cause = noteCause(d.Key, want.Files[d.Key], got.Files[d.Key])
		}
	}
}

// noteCause returns the part of the tool note in which two cubins differ, if it is their only difference. Otherwise it
// returns the empty string.
func noteCause(name string, want, got []byte) Cause {
	w, err := cubin.Open(name, want)
	if err != nil {
		return ""
	}
	g, err := cubin.Open(name, got)
	if err != nil || len(compareImages(name, want, got)) > 0 {
		return ""
	}
	wantTools, wantNote := toolsOf(w)
	gotTools, gotNote := toolsOf(g)
	if bytes.Equal(wantNote, gotNote) {
		return "" // the files have different layouts
	}
	for i := range gotTools {
		if i < len(wantTools) {
			gotTools[i].Tool = wantTools[i].Tool
		}
	}
	if slices.Equal(wantTools, gotTools) {
		return CauseToolName
	}
	return CauseToolNote
}

// toolsOf returns the tool note of a cubin, as records and as bytes.
func toolsOf(f *cubin.File) (tools []nvinfo.ToolInfo, note []byte) {
	for i := range f.Sections {
		if f.Sections[i].Name != nvinfo.ToolNote {
			continue
		}
		data, err := f.Data(f.Sections[i].Index)
		if err != nil {
			return nil, nil
		}
		notes, err := f.Notes(f.Sections[i].Index)
		if err != nil {
			return nil, data
		}
		for _, n := range notes {
			if t, err := nvinfo.DecodeToolInfo(n.Desc); err == nil {
				tools = append(tools, t)
			}
		}
		return tools, data
	}
	return nil, nil
}
