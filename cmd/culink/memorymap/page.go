package memorymap

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var source string

var pageTemplate = template.Must(template.New("map").Parse(source))

// WritePage writes the map as one HTML file that holds its style, script and data.
func (m *Map) WritePage(w io.Writer) error { return pageTemplate.Execute(w, m) }
