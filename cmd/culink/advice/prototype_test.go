package advice

import (
	"fmt"
	"testing"
)

// parsePrototype reads prototypes in the form that the compiler writes, and rejects unknown forms (DIAG-510).
func TestParsePrototype(t *testing.T) {
	for text, want := range map[string]string{
		"#v":          "parameters none; result none true",
		"#viib20":     "parameters .b32, .b32, .b8[20]; result none true",
		"#b16i":       "parameters .b32; result .b8[16] true",
		"#xbhilfd":    "parameters .b8, .b16, .b32, .b64, .f32, .f64; result .b128 true",
		"#":           "parameters none; result none false",
		"#vz":         "parameters none; result none false",
		"#vi|1":       "parameters none; result none false",
		"i":           "parameters none; result none false",
		"#b99999i4v1": "parameters .b32[4]; result .b8[99999] false",
	} {
		p, ok := parsePrototype(text)
		if got := fmt.Sprint(p, ok); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The comparison distinguishes prototypes that pass the same values under other type names from prototypes that pass
// other values (DIAG-510).
func TestPrototypeDifferences(t *testing.T) {
	for _, tt := range []struct {
		here, there string
		want        []difference
		isSpelling  bool
	}{
		{"#vi", "#vi", nil, true},
		{"#vif", "#vii", []difference{{"parameter 2", ".f32", ".b32"}}, true},
		{"#d", "#l", []difference{{"result", ".f64", ".b64"}}, true},
		{"#vi", "#vl", []difference{{"parameter 1", ".b32", ".b64"}}, false},
		{"#i", "#vb4", []difference{{"parameter 1", "", ".b8[4]"}, {"result", ".b32", ""}}, false},
	} {
		p, _ := parsePrototype(tt.here)
		q, _ := parsePrototype(tt.there)
		got := p.differences(q)
		isSpelling := true
		for _, d := range got {
			isSpelling = isSpelling && d.isSpelling()
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) || isSpelling != tt.isSpelling {
			t.Errorf("%s, %s: %v, %v", tt.here, tt.there, got, isSpelling)
		}
	}
}
