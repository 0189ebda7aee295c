// Package mappage writes the memory map of a link as one self-contained HTML page with diagrams.
package mappage

import (
	_ "embed"
	"encoding/json"
	"html"
	"io"
	"strings"

	"github.com/culink/culink/linker/memorymap"
	"github.com/culink/culink/linker/show"
)

//go:embed page.html
var source string

// Write writes the page of a map. It does not use package html/template, because the start-up of that package takes
// longer than a small link.
func Write(w io.Writer, m *memorymap.Map) error {
	data, err := json.Marshal(m) // json.Marshal escapes characters that could end the script
	if err != nil {
		return err
	}
	sharing, err := json.Marshal(m.Sharing())
	if err != nil {
		return err
	}
	failed := ""
	if m.Failed != "" {
		failed = failure(m)
	}
	return fill(w, source, map[string]string{
		"Output": html.EscapeString(show.Line(m.Output)), "Target": html.EscapeString(m.Target), "Failed": failed,
		"Map": string(show.JSON(data)), "Sharing": string(show.JSON(sharing)),
	})
}

// fill writes a page in which values replace {{.NAME}}.
func fill(w io.Writer, page string, values map[string]string) error {
	for more := true; more; {
		var text, name string
		text, page, more = strings.Cut(page, "{{.")
		name, page, _ = strings.Cut(page, "}}")
		if _, err := io.WriteString(w, text+values[name]); err != nil {
			return err
		}
	}
	return nil
}

// failure returns the first section of the page of a failed link, with all errors.
func failure(m *memorymap.Map) string {
	var b strings.Builder
	b.WriteString(`<section id="failed" class="failed"><h2>The link failed</h2><ol class="mono">`)
	all := m.Errors
	if len(all) == 0 { // a map of an earlier version
		all = []string{m.Failed}
	}
	for _, e := range all {
		b.WriteString("<li>" + html.EscapeString(show.Line(e)) + "</li>")
	}
	b.WriteString("</ol>")
	if m.Unplaced {
		b.WriteString("<p>Nothing had a place yet: sizes are those of the inputs.</p>")
	}
	b.WriteString("</section>\n")
	return b.String()
}
