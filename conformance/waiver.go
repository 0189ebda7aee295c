package conformance

import (
	"bufio"
	"io/fs"
	"path"
	"strings"
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
	Facet  Facet
	Key    string
	Reason string
	Line   int // in waivers.txt
}

// LoadWaivers reads waivers.txt of a corpus: what is known of culink. It says
// nothing about other linkers.
func LoadWaivers(corpus fs.FS) ([]Waiver, error) {
	text, err := readOptional(corpus, "waivers.txt")
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
			return nil, &SyntaxError{file, line, "a waiver is: CASE FACETS KEY REASON"}
		}
		facets, err := ParseFacets(words[1])
		if err != nil {
			return nil, &SyntaxError{file, line, err.Error()}
		}
		for _, glob := range []string{words[0], words[2]} {
			if _, err := path.Match(glob, ""); err != nil {
				return nil, &SyntaxError{file, line, "bad pattern " + glob}
			}
		}
		for _, f := range facets {
			waivers = append(waivers, Waiver{words[0], f, words[2], strings.Join(words[3:], " "), line})
		}
	}
	return waivers, scanner.Err()
}

// Excuses reports whether the waiver covers a difference.
func (w Waiver) Excuses(caseID, sm string, d Difference) bool {
	return w.Facet == d.Facet && matchCase(w.Case, caseID, sm) && matchKey(w.Key, d.Key)
}

// matchKey is path.Match, but * matches slashes too.
func matchKey(glob, key string) bool {
	const other = "\x00"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", other), strings.ReplaceAll(key, "/", other))
	return err == nil && ok
}

// A waiverUse remembers which waivers have excused something.
type waiverUse struct {
	waivers []Waiver
	used    []bool
}

func newWaiverUse(waivers []Waiver) *waiverUse {
	return &waiverUse{waivers, make([]bool, len(waivers))}
}

// apply takes the excused differences out of the verdicts.
func (u *waiverUse) apply(verdicts []Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		var kept []Difference
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

// unused are the waivers that excused nothing.
func (u *waiverUse) unused() []Waiver {
	var out []Waiver
	for j, w := range u.waivers {
		if !u.used[j] {
			out = append(out, w)
		}
	}
	return out
}
