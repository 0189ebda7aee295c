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
)

// A waiver says that a difference is known, and why. Waivers are data: one
// line of waivers.txt each, with four words and more,
//
//	CASE FACETS KEY REASON...
//
// where FACETS are separated by commas, CASE is a glob over "area", "area/name" or "area/name/sm_80", and KEY a glob
// over the keys of differences in which * also matches slashes.

// A Waiver excuses differences of one facet.
type Waiver struct {
	Case   string
	Facet  judge.Facet
	Key    string
	Reason string
	Line   int // in waivers.txt
}

// LoadWaivers reads waivers.txt of a corpus: what is known of culink. It says
// nothing about other linkers.
func LoadWaivers(corpus fs.FS) ([]Waiver, error) {
	text, err := attempt.ReadOptional(corpus, "waivers.txt")
	if err != nil {
		return nil, err
	}
	return ParseWaivers("waivers.txt", string(text))
}

// ParseWaivers reads the text of a waivers.txt; file is its name in errors.
func ParseWaivers(file, text string) ([]Waiver, error) {
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
		for _, glob := range []string{words[0], words[2]} {
			if _, err := path.Match(glob, ""); err != nil {
				return nil, &suite.SyntaxError{File: file, Line: line, Msg: "bad pattern " + glob}
			}
		}
		for _, f := range facets {
			waivers = append(waivers, Waiver{words[0], f, words[2], strings.Join(words[3:], " "), line})
		}
	}
	return waivers, scanner.Err()
}

// Excuses reports whether the waiver covers a difference.
func (w Waiver) Excuses(caseID, sm string, d judge.Difference) bool {
	return w.Facet == d.Facet && matchCase(w.Case, caseID, sm) && matchKey(w.Key, d.Key)
}

// matchKey is path.Match, but * matches slashes too.
func matchKey(glob, key string) bool {
	const other = "\x00"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", other), strings.ReplaceAll(key, "/", other))
	return err == nil && ok
}

// A waiverUse remembers which waivers have excused something. Several cases may be run at a time.
type WaiverUse struct {
	waivers []Waiver
	mu      sync.Mutex
	used    []bool
}

func NewWaiverUse(waivers []Waiver) *WaiverUse {
	return &WaiverUse{waivers: waivers, used: make([]bool, len(waivers))}
}

// Apply takes the excused differences out of the verdicts.
func (u *WaiverUse) Apply(verdicts []judge.Verdict) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range verdicts {
		v := &verdicts[i]
		var kept []judge.Difference
		for _, d := range v.Differences {
			excused := false
			for j, w := range u.waivers {
				if w.Excuses(v.Case, v.SM, d) {
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

// Unused are the waivers that excused nothing.
func (u *WaiverUse) Unused() []Waiver {
	var out []Waiver
	for j, w := range u.waivers {
		if !u.used[j] {
			out = append(out, w)
		}
	}
	return out
}

// A StaleWaiver is a waiver that excuses nothing.
type StaleWaiver struct {
	Waiver string `json:"waiver"` // its line, without the reason
	Why    string `json:"why"`
}

// Stale finds the waivers that name no case, and those that excused nothing although the run judged all
// that they name. units are the cases on a target that were run, targets are all of a case. A run of a
// part of the corpus says nothing of a waiver that also names what was left out or skipped.
func (u *WaiverUse) Stale(s Selection, units []Unit, verdicts []judge.Verdict, targets func(*suite.Case) []string, cases []*suite.Case) []StaleWaiver {
	type place struct {
		name  string // of the case on a target
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
			for _, sm := range targets(c) {
				if matchCase(w.Case, c.ID(), sm) {
					name := c.ID() + "/sm_" + sm
					named = true
					judged = judged && run[name] && !skipped[place{name, w.Facet}]
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

// String is the line of the waiver, without the reason.
func (w Waiver) String() string { return fmt.Sprintf("%s %s %s", w.Case, w.Facet, w.Key) }
