package memorymap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/culink/culink/linker/show"
)

// WriteJSON writes the map as JSON.
func (m *Map) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(show.JSONWriter(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(m)
}

// Read reads a map from JSON. name is the name of the file, for errors.
func Read(name string, data []byte) (*Map, error) {
	m := &Map{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Format != Format {
		return nil, fmt.Errorf("%s: no memory map of culink --map FILE.json: format %q", name, m.Format)
	}
	for _, c := range m.Calls {
		if c[0] < 0 || c[1] < 0 || max(c[0], c[1]) >= len(m.Functions) {
			return nil, fmt.Errorf("%s: a call of function %d by %d, of %d functions", name, c[1], c[0], len(m.Functions))
		}
	}
	for _, k := range m.Kernels {
		if k.Function < 0 || k.Function >= len(m.Functions) {
			return nil, fmt.Errorf("%s: a kernel is function %d of %d", name, k.Function, len(m.Functions))
		}
	}
	return m, nil
}

// Is reports whether data looks like the JSON form of a map.
func Is(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \n\r\t"), []byte("{")) && bytes.Contains(data[:min(len(data), 100)], []byte(Format))
}
