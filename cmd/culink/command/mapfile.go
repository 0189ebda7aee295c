package command

import (
	"bytes"
	"path"
	"strings"

	"github.com/culink/culink/cmd/culink/edgname"
	"github.com/culink/culink/cmd/culink/memorymap"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// The file of --map has a form that its name chooses: JSON, a page, or text (LAYOUT-503).

// mapName is the name of the map: %a in it stands for the target, so that nvcc's links for
// several targets do not overwrite each other's maps.
func mapName(s *option.Settings) string { return strings.ReplaceAll(s.MapFile, "%a", s.Arch) }

// drawsMap reports whether the map has more in it than the text.
func drawsMap(s *option.Settings) bool { return mapForm(s) != nil }

// mapForm writes a map in the form that its name asks for; nil: as text.
func mapForm(s *option.Settings) func(*memorymap.Map, *bytes.Buffer) error {
	switch strings.ToLower(path.Ext(s.MapFile)) {
	case ".json":
		return func(m *memorymap.Map, b *bytes.Buffer) error { return m.WriteJSON(b) }
	case ".html", ".htm":
		return func(m *memorymap.Map, b *bytes.Buffer) error { return m.WritePage(b) }
	}
	return nil
}

// writeMap writes the map of a link.
func (f *files) writeMap(s *option.Settings, log *diag.Log, result *linker.Result) {
	form := mapForm(s)
	if form == nil {
		f.write(log, mapName(s), result.Map)
		return
	}
	var b bytes.Buffer
	m, err := memorymap.New(memorymap.Link{Text: result.Map, Dot: result.Dot, Output: result.Output, Name: s.Output, Demangle: edgname.Demangle})
	if err == nil {
		err = form(m, &b)
	}
	if err != nil {
		log.Add(diag.New(diag.CannotWriteFile, mapName(s)).Because(err))
		return
	}
	f.write(log, mapName(s), b.Bytes())
}
