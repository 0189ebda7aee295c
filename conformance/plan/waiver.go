package plan

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
)

// A waiver describes a known difference and its reason. It is a line of waivers.txt with at least four words:
//
//	CASE FACETS KEY REASON...
//
// FACETS are separated by commas. CASE is a pattern for "area", "area/name", "area/name/sm_80" or a step of it,
// "area/name/sm_80/2". The releases that the waiver is about may follow it, as in "area/name@13.1.." (CONF-982). KEY is
// a pattern for the keys of differences. In it, * also matches slashes.

// A Waiver accepts differences of one facet.
type Waiver struct {
	Case     string // without the releases
	Releases string // "@" and the releases, as written; empty for all
	Facet    judge.Facet
	Key      string
	Reason   string
	Line     int // line number in waivers.txt
}

// LoadWaivers reads the file waivers.txt of a corpus, which has the known differences of culink. It returns those of a
// release; nil is the release of the recordings.
func LoadWaivers(corpus fs.FS, release *arch.Profile) ([]Waiver, error) {
	text, err := attempt.ReadOptional(corpus, "waivers.txt")
	if err != nil {
		return nil, err
	}
	return ParseWaivers("waivers.txt", string(text), release)
}

// ParseWaivers reads the text of a waivers.txt and returns the waivers of a release. Errors contain the name in file.
func ParseWaivers(file, text string, release *arch.Profile) ([]Waiver, error) {
	var waivers []Waiver
	scanner := bufio.NewScanner(strings.NewReader(text))
	for line := 1; scanner.Scan(); line++ {
		words := strings.Fields(scanner.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 4 {
			return nil, &suite.SyntaxError{File: file, Line: line, Msg: "a waiver is: CASE FACETS KEY REASON"}
		}
		facets, err := judge.ParseFacets(words[1])
		if err != nil {
			return nil, &suite.SyntaxError{File: file, Line: line, Msg: err.Error()}
		}
		caseGlob, releases, err := suite.CutSpan(words[0])
		if err != nil {
			return nil, &suite.SyntaxError{File: file, Line: line, Msg: err.Error()}
		}
		for _, glob := range []string{caseGlob, words[2]} {
			if _, err := path.Match(glob, ""); err != nil {
				return nil, &suite.SyntaxError{File: file, Line: line, Msg: "bad pattern " + glob}
			}
		}
		if !releases.Holds(release) {
			continue
		}
		for _, f := range facets {
			waivers = append(waivers, Waiver{caseGlob, strings.TrimPrefix(words[0], caseGlob), f, words[2], strings.Join(words[3:], " "), line})
		}
	}
	return waivers, scanner.Err()
}

// Excuses reports whether the waiver covers a difference in a step of a case, counted from 1.
func (w Waiver) Excuses(caseID, sm string, step int, d judge.Difference) bool {
	return w.Facet == d.Facet && w.covers(caseID, sm, step) && matchKey(w.Key, d.Key)
}

// covers reports whether the waiver is about a step of a case on a target.
func (w Waiver) covers(caseID, sm string, step int) bool {
	if matchCase(w.Case, caseID, sm) {
		return true
	}
	ok, err := path.Match(w.Case, fmt.Sprintf("%s/sm_%s/%d", caseID, sm, step))
	return err == nil && ok
}

// matchKey does the same as path.Match, but * also matches slashes.
func matchKey(glob, key string) bool {
	const other = "\x00"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", other), strings.ReplaceAll(key, "/", other))
	return err == nil && ok
}

// A WaiverUse records which waivers were needed. Several cases may run at the same time.
type WaiverUse struct {
	waivers []Waiver
	mu      sync.Mutex
	used    []bool
}

// NewWaiverUse returns a WaiverUse in which no waiver was needed yet.
func NewWaiverUse(waivers []Waiver) *WaiverUse {
	return &WaiverUse{waivers: waivers, used: make([]bool, len(waivers))}
}

// Apply removes the differences that waivers accept from the verdicts, and counts them in the verdicts.
func (u *WaiverUse) Apply(verdicts []judge.Verdict) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range verdicts {
		v := &verdicts[i]
		var kept []judge.Difference
		for _, d := range v.Differences {
			excused := false
			for j, w := range u.waivers {
				if w.Excuses(v.Case, v.SM, v.Step, d) {
					excused, u.used[j] = true, true
				}
			}
			if excused {
				v.Waived++
			} else {
				kept = append(kept, d)
			}
		}
		v.Differences = kept
	}
}

// Unused returns the waivers that were not needed.
func (u *WaiverUse) Unused() []Waiver {
	var out []Waiver
	for j, w := range u.waivers {
		if !u.used[j] {
			out = append(out, w)
		}
	}
	return out
}

// A StaleWaiver is a waiver that is not needed.
type StaleWaiver struct {
	Waiver string `json:"waiver"` // its line, without the reason
	Why    string `json:"why"`
}

// Stale returns two kinds of waivers: those that match no case, and those that were not needed although everything that
// they match was judged. units are the cases on a target that were run. targets returns all targets of a case. A waiver
// that also matches omitted or skipped cases is not stale, nor is one of a case that has other targets.
func (u *WaiverUse) Stale(s Selection, units []Unit, verdicts []judge.Verdict, targets func(*suite.Case) []string, cases []*suite.Case) []StaleWaiver {
	type place struct {
		name  string // name of the case on a target
		facet judge.Facet
	}
	run := map[string]bool{}
	for _, r := range units {
		run[r.Case.ID()+"/sm_"+r.SM] = true
	}
	skipped := map[place]bool{}
	for _, v := range verdicts {
		if v.Skip != "" {
			skipped[place{v.Case + "/sm_" + v.SM, v.Facet}] = true
		}
	}
	var out []StaleWaiver
	for i, w := range u.waivers {
		if u.used[i] || !slices.Contains(s.JudgedFacets(), w.Facet) {
			continue
		}
		named, judged := false, true
		for _, c := range cases {
			for _, sm := range slices.Concat(targets(c), c.Targets) { // a release may have none of the targets of a case that the waiver names
				for step := range c.Steps {
					if w.covers(c.ID(), sm, step+1) {
						name := c.ID() + "/sm_" + sm
						named = true
						judged = judged && run[name] && !skipped[place{name, w.Facet}]
					}
				}
			}
		}
		switch {
		case !named:
			out = append(out, StaleWaiver{w.String(), "names no case"})
		case judged:
			out = append(out, StaleWaiver{w.String(), "excuses nothing"})
		}
	}
	return out
}

// String returns the line of the waiver without the reason.
func (w Waiver) String() string { return fmt.Sprintf("%s%s %s %s", w.Case, w.Releases, w.Facet, w.Key) }
