package report

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
)

// If all links fail, the size of a report stays bounded, whatever the output and number of links (CONF-065).
func TestReportsAreBounded(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 64<<10)
	want := &attempt.Outcome{Stderr: []byte("nvlink error   : no\n"), Files: attempt.Files{"out": nil}}
	got := &attempt.Outcome{Stderr: append(append([]byte(nil), long...), " \n##[group]\n"...), Files: attempt.Files{"out": long, string(long): long}}
	r := &Report{Toolkit: suite.Toolkit, Facets: judge.Facets}
	budget := Budget{200_000}
	const links = 300
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range links {
		v := judge.Verdict{Case: "a/b", SM: "80", Step: i + 1, Facet: judge.FacetMessages}
		for _, f := range []judge.Facet{judge.FacetMessages, judge.FacetFile, judge.FacetBytes} {
			v.Differences = append(v.Differences, judge.Compare(f, suite.ExpectRecorded, want, got)...)
		}
		for range 3 * mostOfVerdict {
			v.Differences = append(v.Differences, v.Differences[0])
		}
		keep(&v, mostOfVerdict)
		verdicts := []judge.Verdict{v}
		budget.Take(verdicts)
		r.Verdicts = append(r.Verdicts, verdicts...)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes stay of %d links", grown, links)
	}
	v := r.Verdicts[0]
	if len(v.Differences) != mostOfVerdict || v.More != 2*mostOfVerdict+3 {
		t.Errorf("%d differences and %d more", len(v.Differences), v.More)
	}
	if last := r.Verdicts[links-1]; len(last.Differences) != 1 || last.More != 3*mostOfVerdict+2 || last.Differences[0].Lines != "" {
		t.Errorf("of the last link: %d differences and %d more", len(last.Differences), last.More)
	}
	var b strings.Builder
	if err := WriteFailure(&b, v, true); err != nil || b.Len() > 200_000 || !strings.Contains(b.String(), "more differences") {
		t.Errorf("%d bytes of a failure, %v", b.Len(), err)
	}
}
