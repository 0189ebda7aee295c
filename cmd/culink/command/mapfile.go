package command

import (
	"bytes"
	"path"
	"strings"

	"github.com/culink/culink/cmd/culink/mappage"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// The suffix of the --map file selects its format: JSON, HTML, or text (LAYOUT-503).

// mapName returns the name of the map. The target replaces %a, so that nvcc's links for several targets do not overwrite
// each other's maps.
func mapName(s *option.Settings) string { return strings.ReplaceAll(s.MapFile, "%a", s.Arch) }

// writeMap writes the map of a link, if there is one.
func (f *files) writeMap(s *option.Settings, log *diag.Log, result *linker.Result) {
	m := result.Map
	if m == nil {
		return
	}
	m.Output = path.Base(s.Output)
	var b bytes.Buffer
	var err error
	switch strings.ToLower(path.Ext(s.MapFile)) {
	case ".json":
		err = m.WriteJSON(&b)
	case ".html", ".htm":
		err = mappage.Write(&b, m)
	default:
		err = m.WriteText(&b, s.Demangle != "no")
	}
	if err != nil {
		log.Add(diag.New(diag.CannotWriteFile, mapName(s)).Because(err))
		return
	}
	f.write(log, mapName(s), b.Bytes())
}
