package conformance

import (
	"fmt"
	"testing"

	"github.com/culink/culink/conformance/attempt"
)

// failingAlike makes verdicts of links that fail alike on one facet.
func failingAlike(links int, facet Facet, class attempt.Class, d Difference) (all []Verdict) {
	for i := range links {
		d.Facet = facet
		all = append(all, Verdict{Case: fmt.Sprintf("area/case%d", i), SM: "80", Step: 1, Facet: facet, Class: class, Differences: []Difference{d}})
	}
	return all
}

// Links that fail alike are one group, whatever names and numbers they show, and what is
// known to help is said when there is no other group (CONF-002).
func TestFirstCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		facet  Facet
		class  attempt.Class
		d      Difference
		what   string
		hint   string
		second Difference // of the last link; the same group
	}{
		{"no output", FacetFile, "", Difference{Key: "a.cubin", Want: "written", Got: "not written"},
			"the output is not written", "it ends well and writes nothing: does it take -o FILE?", Difference{Key: "b.cubin", Want: "written", Got: "not written"}},
		{"banner", FacetMessages, "", Difference{Key: "stdout.1", Want: "nothing", Got: `"hello\n"`},
			`it says "hello\n", nvlink nothing`, `it prints "hello\n" where nvlink says nothing`, Difference{Key: "stderr.1", Want: "nothing", Got: `"hello\n"`}},
		{"messages", FacetMessages, "", Difference{Key: "stderr.1", Want: `"tool error   : no 'a' in 0x10"`, Got: "nothing"},
			`it does not say "tool error   : no '...' in N"`, "", Difference{Key: "stderr.1", Want: `"tool error   : no 'b' in 33"`, Got: "nothing"}},
		{"not started", FacetExit, "", Difference{Key: "exit", Want: "0", Got: "127"},
			"exit status 127, nvlink's is 0", "exit status 127 is that of a shell that cannot start a program: the command of -linker does not start the linker, or -read has to name what it reads", Difference{Key: "exit", Want: "0", Got: "127"}},
		{"hang", FacetExit, attempt.ClassHang, Difference{Key: "killed", Want: "an end", Got: "killed at the limit of time"},
			"the linker does not end", "no link ends in the time of -timeout: does it wait for input?", Difference{Key: "killed", Want: "an end", Got: "killed at the limit of time"}},
		{"crash", FacetExit, attempt.ClassCrash, Difference{Key: "exit", Want: "0", Got: "139 (crash)"},
			"the linker crashes", "it crashes each time: run one link by hand, with the arguments of its .argv file", Difference{Key: "exit", Want: "1", Got: "139 (crash)"}},
		{"name", FacetBytes, "", Difference{Key: "o", Want: "a", Got: "b", Cause: CauseToolName},
			"the tool note: the name of the linker", "only the tool's name in the note differs: install it as nvlink", Difference{Key: "p", Want: "c", Got: "b", Cause: CauseToolName}},
		{"packed", FacetBytes, "", Difference{Key: "o", Want: "a", Got: "b"},
			"contents agree and the file is packed in another way: offsets, padding, order of strings", "the contents agree, and how the file is packed does not: offsets, padding, or the order of strings", Difference{Key: "p", Want: "c", Got: "d"}},
		{"code", FacetImage, "", Difference{Key: "o:section.text._Z1fv.bytes", Want: "a", Got: "b"},
			"the bytes of a section .text of a function", "", Difference{Key: "p:section.text.k.bytes", Want: "c", Got: "d"}},
		{"symbol", FacetImage, "", Difference{Key: "o:sym.f.size", Want: "a", Got: "b"},
			"the size of a symbol", "", Difference{Key: "o:sym.g.size", Want: "a", Got: "b"}},
	} {
		r := &Report{Verdicts: failingAlike(3, c.facet, c.class, c.d)}
		c.second.Facet = c.facet
		r.Verdicts[2].Differences = []Difference{c.second}
		finer := r.Verdicts[2] // of the same link: no cause of its own
		finer.Facet = FacetBytes
		finer.Differences = []Difference{{Facet: FacetBytes, Key: "other", Want: "x", Got: "y"}}
		if c.facet != FacetBytes {
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
		r.Verdicts = append(r.Verdicts, Verdict{Case: "z/other", Facet: FacetExit, Differences: []Difference{{Facet: FacetExit, Key: "exit", Want: "7", Got: "8"}}})
		if groups = r.FirstCauses(); len(groups) != 2 || groups[0].Links != 3 || r.Hint(groups) != "" {
			t.Errorf("%s, with another cause: %+v", c.name, groups)
		}
	}
}

// A verdict is new, fixed or still failing by its name; what was not judged before and fails
// is new (CONF-006).
func TestSince(t *testing.T) {
	bad := []Difference{{Key: "exit", Want: "0", Got: "1"}}
	at := func(name string, d []Difference) Verdict {
		return Verdict{Case: "a/" + name, SM: "80", Step: 1, Facet: FacetExit, Differences: d}
	}
	old := &Report{Verdicts: []Verdict{at("fixed", bad), at("still", bad), at("gone", bad), at("good", nil), at("broken", nil), at("skipped", bad)}}
	skipped := at("skipped", nil)
	skipped.Skip = "a"
	now := &Report{Verdicts: []Verdict{at("fixed", nil), at("still", bad), at("good", nil), at("broken", bad), at("added", bad), skipped}}
	changes := now.Since(old)
	if got := CountChanges(changes); got != "2 new, 1 fixed, 1 still failing" || len(changes) != 4 || changes[at("added", nil).Name()] != ChangeNew {
		t.Errorf("%s: %v", got, changes)
	}
}
