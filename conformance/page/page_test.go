package page

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/browser"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
)

// example returns two reports. One has three links, of which one fails on two facets. In the other, older report another
// link fails.
func example() Contents {
	verdict := func(name string, f judge.Facet, d ...judge.Difference) judge.Verdict {
		for i := range d {
			d[i].Facet = f
		}
		return judge.Verdict{Case: name, SM: "90", Step: 1, Facet: f, Differences: d}
	}
	report := func(merge, weak []judge.Difference) *report.Report {
		return &report.Report{
			Toolkit: suite.Toolkit, Linker: "./ld", Confinement: "no sockets; NOT HELD: files", Facets: []judge.Facet{"messages", "bytes"},
			Verdicts: []judge.Verdict{
				verdict("basic/one", "messages"), verdict("basic/one", "bytes"),
				verdict("merge/two", "messages", merge...),
				verdict("merge/two", "bytes", merge...),
				verdict("weak/three", "messages"), verdict("weak/three", "bytes", weak...),
			},
		}
	}
	return Contents{
		Report: report([]judge.Difference{{Key: "stderr.1", Want: `"</script><b>"`, Got: "nothing", Lines: "@@ -1 +1 @@\n-</script><b>\n+\n"}}, nil),
		Base:   report(nil, []judge.Difference{{Key: "out.cubin", Want: "a", Got: "b"}}),
		Cases: []*suite.Case{
			{Area: "merge", Name: "two", Title: "Two functions of a name", Rules: []string{"MERGE-001"}, Steps: [][]string{{"-arch=sm_$SM", "a.cubin"}}},
		},
		Rules: &rulebook.Book{Rules: []rulebook.Rule{{ID: "MERGE-001", Clauses: []rulebook.Clause{{ID: "MERGE-001", Statement: "The `first` wins.", Evidence: "test."}}}}},
	}
}

// The page loads nothing from elsewhere and contains the whole report, including the confinement of the linker
// (CONF-006, CONF-063).
func TestPageIsSelfContained(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, example()); err != nil {
		t.Fatal(err)
	}
	if outside := regexp.MustCompile(`(?i)(https?:)?//[a-z]+\.[a-z]|<link|<img|@import|url\(|src=`).FindAllString(b.String(), -1); outside != nil {
		t.Errorf("the page names %q", outside)
	}
	if n := strings.Count(b.String(), "</script>"); n != 1 {
		t.Errorf("%d ends of a script: a message ends it", n)
	}
	for _, want := range []string{"1 of 3 links differ", "2 new, 1 fixed, 0 still failing", `data-area="merge" data-facet="bytes">0/1`, "./ld", `class="note">Confinement: no sockets; NOT HELD: files.`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}

// No name on the page affects the layout of the text around it (DIAG-503).
func TestForgedPage(t *testing.T) {
	const forged = "area\u202e\x1b[2J/case"
	c := example()
	for i := range c.Report.Verdicts {
		c.Report.Verdicts[i].Case = forged
		for k := range c.Report.Verdicts[i].Differences {
			c.Report.Verdicts[i].Differences[k].Got = forged
		}
	}
	var b bytes.Buffer
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") || strings.Contains(b.String(), `"\u001b`) || !strings.Contains(b.String(), `<td>area\u202e\x1b[2J</td>`) {
		t.Error("the page holds a name as it is")
	}
}

// In a browser, the filters in the address select links, and an opened link shows its rules.
func TestPageInBrowser(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, example()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hash string
		want []string
		not  string
	}{
		{"#open=1", []string{">1 link<", "merge/two sm_90 step 1", "<b>MERGE-001</b> The <code>first</code> wins.", "nvlink -arch=sm_90 a.cubin", "&lt;/script&gt;",
			"cuconform run -linker ./ld -run merge/two -sm 90 -v", `chip new`}, "weak/three"},
		{"#change=fixed", []string{">1 link<", "weak/three sm_90 step 1", "passes now"}, "merge/two sm_90 step 1</span>"},
		{"#area=merge&text=nowhere", []string{">0 links<"}, "step 1</span>"},
	} {
		dom := browser.DOM(t, b.Bytes(), c.hash)
		for _, want := range c.want {
			if !strings.Contains(dom, want) {
				t.Errorf("%s: no %q in\n%s", c.hash, want, dom[strings.Index(dom, "<section"):])
			}
		}
		if strings.Contains(dom, c.not) {
			t.Errorf("%s: %q is shown", c.hash, c.not)
		}
	}
}
