package conformance

import (
	"bytes"
	"strings"
	"testing"
)

// Names that hold newlines and escapes forge no line of a report and reach no terminal
// (DIAG-503).
func TestForgedNames(t *testing.T) {
	const forged = "n\nok 2 - faked\x1b[2J # SKIP \u202e"
	r := &Report{Facets: Facets, Verdicts: []Verdict{
		{Case: "area/" + forged, SM: "80", Step: 1, Facet: FacetBytes},
		{Case: "area/b", SM: "80", Step: 1, Facet: FacetFile, Differences: []Difference{{Facet: FacetFile, Key: forged, Want: "x", Got: forged, Lines: "-a\n+\x1b]0;b\a\n"}}},
	}}
	var tap, table, failures bytes.Buffer
	if err := r.WriteTAP(&tap); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		if err := WriteFailure(&failures, r.Verdicts[1], all); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"TAP": tap.String(), "table": table.String(), "failures": failures.String()} {
		if strings.ContainsAny(text, "\x1b\a\u202e") {
			t.Errorf("%s holds what a terminal obeys: %q", name, text)
		}
	}
	verdicts := 0
	for line := range strings.Lines(tap.String()) {
		if strings.HasPrefix(line, "ok") || strings.HasPrefix(line, "not ok") {
			verdicts++
			if strings.Contains(line, " # SKIP") {
				t.Errorf("a name skips a verdict: %q", line)
			}
		}
	}
	if verdicts != 2 {
		t.Errorf("%d verdicts:\n%s", verdicts, tap.String())
	}
}
