package report

import (
	"fmt"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
)

// failingAlike returns verdicts of links that fail in the same way on one facet.
func failingAlike(links int, facet judge.Facet, class attempt.Class, d judge.Difference) (all []judge.Verdict) {
	for i := range links {
		d.Facet = facet
		all = append(all, judge.Verdict{Case: fmt.Sprintf("area/case%d", i), SM: "80", Step: 1, Facet: facet, Class: class, Differences: []judge.Difference{d}})
	}
	return all
}

// Links that fail in the same way form one group, whatever names and numbers they contain. A known remedy is printed if
// there is no other group (CONF-002).
func TestFirstCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		facet  judge.Facet
		class  attempt.Class
		d      judge.Difference
		what   string
		hint   string
		second judge.Difference // difference of the last link, in the same group
	}{
		{"no output", judge.FacetFile, "", judge.Difference{Key: "a.cubin", Want: "written", Got: "not written"},
			"the output is not written", "it ends well and writes nothing: does it take -o FILE?", judge.Difference{Key: "b.cubin", Want: "written", Got: "not written"}},
		{"banner", judge.FacetMessages, "", judge.Difference{Key: "stdout.1", Want: "nothing", Got: `"hello\n"`},
			`it says "hello\n", nvlink nothing`, `it prints "hello\n" where nvlink says nothing`, judge.Difference{Key: "stderr.1", Want: "nothing", Got: `"hello\n"`}},
		{"messages", judge.FacetMessages, "", judge.Difference{Key: "stderr.1", Want: `"tool error   : no 'a' in 0x10"`, Got: "nothing"},
			`it does not say "tool error   : no '...' in N"`, "", judge.Difference{Key: "stderr.1", Want: `"tool error   : no 'b' in 33"`, Got: "nothing"}},
		{"not started", judge.FacetExit, "", judge.Difference{Key: "exit", Want: "0", Got: "127"},
			"exit status 127, nvlink's is 0", "exit status 127 is that of a shell that cannot start a program: the command of -linker does not start the linker, or -read has to name what it reads", judge.Difference{Key: "exit", Want: "0", Got: "127"}},
		{"hang", judge.FacetExit, attempt.ClassHang, judge.Difference{Key: "killed", Want: "an end", Got: "killed at the limit of time"},
			"the linker does not end", "no link ends in the time of -timeout: does it wait for input?", judge.Difference{Key: "killed", Want: "an end", Got: "killed at the limit of time"}},
		{"crash", judge.FacetExit, attempt.ClassCrash, judge.Difference{Key: "exit", Want: "0", Got: "139 (crash)"},
			"the linker crashes", "it crashes each time: run one link by hand, with the arguments of its .argv file", judge.Difference{Key: "exit", Want: "1", Got: "139 (crash)"}},
		{"name", judge.FacetBytes, "", judge.Difference{Key: "o", Want: "a", Got: "b", Cause: judge.CauseToolName},
			"the tool note: the name of the linker", "only the tool's name in the note differs: install it as nvlink", judge.Difference{Key: "p", Want: "c", Got: "b", Cause: judge.CauseToolName}},
		{"packed", judge.FacetBytes, "", judge.Difference{Key: "o", Want: "a", Got: "b"},
			"contents agree and the file is packed in another way: offsets, padding, order of strings", "the contents agree, and how the file is packed does not: offsets, padding, or the order of strings", judge.Difference{Key: "p", Want: "c", Got: "d"}},
		{"code", judge.FacetImage, "", judge.Difference{Key: "o:section.text._Z1fv.bytes", Want: "a", Got: "b"},
			"the bytes of a section .text of a function", "", judge.Difference{Key: "p:section.text.k.bytes", Want: "c", Got: "d"}},
		{"symbol", judge.FacetImage, "", judge.Difference{Key: "o:sym.f.size", Want: "a", Got: "b"},
			"the size of a symbol", "", judge.Difference{Key: "o:sym.g.size", Want: "a", Got: "b"}},
	} {
		r := &Report{Verdicts: failingAlike(3, c.facet, c.class, c.d)}
		c.second.Facet = c.facet
		r.Verdicts[2].Differences = []judge.Difference{c.second}
		finer := r.Verdicts[2] // a verdict of the same link, not a separate cause
		finer.Facet = judge.FacetBytes
		finer.Differences = []judge.Difference{{Facet: judge.FacetBytes, Key: "other", Want: "x", Got: "y"}}
		if c.facet != judge.FacetBytes {
			r.Verdicts = append(r.Verdicts, finer)
		}
		groups := r.FirstCauses()
		if len(groups) != 1 || groups[0].Links != 3 || groups[0].What != c.what {
			t.Errorf("%s: %+v", c.name, groups)
			continue
		}
		if hint := r.Hint(groups); hint != c.hint {
			t.Errorf("%s: hint %q, want %q", c.name, hint, c.hint)
		}
		if GroupOf(groups, r.Verdicts[0]) != 0 {
			t.Errorf("%s: its own link is not in the group", c.name)
		}
		r.Verdicts = append(r.Verdicts, judge.Verdict{Case: "z/other", Facet: judge.FacetExit, Differences: []judge.Difference{{Facet: judge.FacetExit, Key: "exit", Want: "7", Got: "8"}}})
		if groups = r.FirstCauses(); len(groups) != 2 || groups[0].Links != 3 || r.Hint(groups) != "" {
			t.Errorf("%s, with another cause: %+v", c.name, groups)
		}
	}
}

// A verdict is new, fixed or still failing. Verdicts of two reports are matched by name. A failing verdict that was not
// judged before is new (CONF-006).
func TestSince(t *testing.T) {
	bad := []judge.Difference{{Key: "exit", Want: "0", Got: "1"}}
	at := func(name string, d []judge.Difference) judge.Verdict {
		return judge.Verdict{Case: "a/" + name, SM: "80", Step: 1, Facet: judge.FacetExit, Differences: d}
	}
	old := &Report{Verdicts: []judge.Verdict{at("fixed", bad), at("still", bad), at("gone", bad), at("good", nil), at("broken", nil), at("skipped", bad)}}
	skipped := at("skipped", nil)
	skipped.Skip = "a"
	now := &Report{Verdicts: []judge.Verdict{at("fixed", nil), at("still", bad), at("good", nil), at("broken", bad), at("added", bad), skipped}}
	changes := now.Since(old)
	if got := CountChanges(changes); got != "2 new, 1 fixed, 1 still failing" || len(changes) != 4 || changes[at("added", nil).Name()] != ChangeNew {
		t.Errorf("%s: %v", got, changes)
	}
}
