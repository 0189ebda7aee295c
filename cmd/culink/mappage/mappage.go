// Package mappage draws the memory map of a link: one page with pictures, which holds its style,
// script and data.
package mappage

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/culink/culink/linker/memorymap"
)

//go:embed page.html
var source string

var page = template.Must(template.New("map").Parse(source))

// Write writes the page of a map.
func Write(w io.Writer, m *memorymap.Map) error { return page.Execute(w, m) }
