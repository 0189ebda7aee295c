package report

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
)

// Names with newlines and escape sequences cannot add lines to a report. They are escaped for terminals and build
// servers (DIAG-503, CONF-066).
func TestForgedNames(t *testing.T) {
	const forged = "n\nok 2 - faked\x1b[2J # SKIP \u202e\n ::error::faked\n##[group]x##vso[task.x]"
	r := &Report{Toolkit: suite.Toolkit, Facets: judge.Facets, Verdicts: []judge.Verdict{
		{Case: "area/" + forged, SM: "80", Step: 1, Facet: judge.FacetBytes},
		{Case: "area/b", SM: "80", Step: 1, Facet: judge.FacetFile, Differences: []judge.Difference{{Facet: judge.FacetFile, Key: forged, Want: "x", Got: forged, Lines: "-a\n+\x1b]0;b\a\n ::add-mask::a\n+##[error]b\n"}}},
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
	var junit, object, script bytes.Buffer
	if err := errors.Join(r.WriteJUnit(&junit), r.WriteJSON(&object), r.WriteScript(&script, nil)); err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^\s*::|##`)
	for name, text := range map[string]string{
		"TAP": tap.String(), "table": table.String(), "failures": failures.String(), "JUnit": junit.String(), "JSON": object.String(),
		"script": script.String(),
	} {
		if strings.ContainsAny(text, "\x1b\a\u202e") || command.MatchString(text) {
			t.Errorf("%s holds what a terminal or a build server obeys: %q", name, text)
		}
	}
	again, err := ReadReport("report", &object)
	if err != nil || again.Verdicts[1].Differences[0].Got != forged {
		t.Errorf("read again: %v, %v", again, err)
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
