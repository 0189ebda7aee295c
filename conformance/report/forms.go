package report

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/linker/show"
)

// Reports have forms for other programs: JSON, which "cuconform merge" reads, and JUnit XML and TAP for build servers.

// WriteJSON writes the report as one JSON object, with one verdict on each line.
func (r *Report) WriteJSON(w io.Writer) error {
	verdicts := r.Verdicts
	head := *r
	head.Verdicts = nil
	text, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(text), `"verdicts":null`)
	b := bufio.NewWriter(w)
	b.Write(show.PlainJSON([]byte(before + `"verdicts":[`)))
	for i, v := range verdicts {
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(show.PlainJSON(line))
	}
	b.Write(show.PlainJSON([]byte("\n]" + after + "\n")))
	return b.Flush()
}

// ReadReport reads the output of WriteJSON. name is the name of the file in error messages.
func ReadReport(name string, in io.Reader) (*Report, error) {
	r := &Report{}
	if err := json.NewDecoder(in).Decode(r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Toolkit == "" {
		return nil, fmt.Errorf("%s: not a report of cuconform run -json", name)
	}
	for _, v := range r.Verdicts {
		if !r.hasFacet(v.Facet) || !strings.Contains(v.Case, "/") {
			return nil, fmt.Errorf("%s: not a verdict: %s", name, v.Name())
		}
		for i := range v.Differences {
			v.Differences[i].Facet = v.Facet
		}
	}
	return r, nil
}

// hasFacet reports whether a verdict of the report may be on a facet. Those of a library are the report's own.
func (r *Report) hasFacet(f judge.Facet) bool {
	if r.Library {
		return slices.Contains(r.Facets, f)
	}
	return slices.Contains(judge.AllFacets, f)
}

// The parts of JUnit's XML that build servers read.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Failure *junitResult `xml:"failure"`
		Skipped *junitResult `xml:"skipped"`
	}
	junitResult struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML. An area is a suite, and a verdict is a test.
func (r *Report) WriteJUnit(w io.Writer) error {
	var all junitSuites
	for _, v := range r.Verdicts {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != show.Line(v.Area()) {
			confinement := junitProperty{"confinement", show.Line(r.Confinement)}
			all.Suites = append(all.Suites, junitSuite{Name: show.Line(v.Area()), Properties: []junitProperty{confinement}})
		}
		suite := &all.Suites[len(all.Suites)-1]
		test := junitCase{Class: show.Line(strings.ReplaceAll(v.Case, "/", ".")), Name: show.Line(fmt.Sprintf("sm_%s step %d %s", v.SM, v.Step, v.Facet))}
		suite.Tests++
		switch {
		case v.Skip != "":
			suite.Skipped++
			test.Skipped = &junitResult{Message: show.Line("-skip " + v.Skip)}
		case !v.Pass():
			suite.Failures++
			test.Failure = &junitResult{Type: string(v.Class), Message: show.Line(v.Differences[0].String()), Text: differenceLines(v, "")}
		}
		suite.Cases = append(suite.Cases, test)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// differenceLines returns an indented line for each difference. If the difference has lines of messages, they follow
// with a deeper indentation.
func differenceLines(v judge.Verdict, indent string) string {
	var b strings.Builder
	for _, d := range v.Differences {
		fmt.Fprintf(&b, "%s%s\n", indent, show.Line(d.String()))
		for line := range strings.Lines(d.Lines) {
			b.WriteString(indent + "  " + show.Lines(line))
		}
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "%s... and %s\n", indent, commandline.Count(v.More, "more difference"))
	}
	return b.String()
}

// WriteTAP writes the report in the Test Anything Protocol.
func (r *Report) WriteTAP(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "TAP version 14\n1..%d\n", len(r.Verdicts))
	fmt.Fprintf(b, "# confinement: %s\n", show.Line(r.Confinement))
	// In TAP, '#' begins a directive.
	plain := func(text string) string { return strings.ReplaceAll(show.Line(text), "#", `\#`) }
	for i, v := range r.Verdicts {
		switch {
		case v.Skip != "":
			fmt.Fprintf(b, "ok %d - %s # SKIP %s\n", i+1, plain(v.Name()), plain(v.Skip))
		case v.Pass():
			fmt.Fprintf(b, "ok %d - %s\n", i+1, plain(v.Name()))
		default:
			fmt.Fprintf(b, "not ok %d - %s\n  ---\n  differences: |\n%s  ...\n", i+1, plain(v.Name()), differenceLines(v, "    "))
		}
	}
	return b.Flush()
}
