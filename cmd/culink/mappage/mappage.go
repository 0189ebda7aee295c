// Package mappage draws the memory map of a link: one page with pictures, which holds its style,
// script and data.
package mappage

import (
	_ "embed"
	"encoding/json"
	"html"
	"io"
	"strings"

	"github.com/culink/culink/linker/memorymap"
)

//go:embed page.html
var source string

// Write writes the page of a map. The few places in it are filled without a template: package
// html/template takes longer to start than a small link takes.
func Write(w io.Writer, m *memorymap.Map) error {
	data, err := json.Marshal(m) // which leaves no character that ends a script
	if err != nil {
		return err
	}
	failed := ""
	if m.Failed != "" {
		failed = `<p class="sub" id="failed">The link failed: ` + html.EscapeString(m.Failed)
		if m.Unplaced {
			failed += " Nothing had a place yet: sizes are those of the inputs."
		}
		failed += "</p>\n"
	}
	page := strings.NewReplacer("{{.Output}}", html.EscapeString(m.Output), "{{.Target}}", html.EscapeString(m.Target), "{{.Failed}}", failed, "{{.Map}}", string(data))
	_, err = page.WriteString(w, source)
	return err
}
