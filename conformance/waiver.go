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
//	CASE FACET KEY REASON...
//
// where CASE is a glob over "area/name" or "area/name/sm_80", and KEY a glob
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
			return nil, &SyntaxError{file, line, "a waiver is: CASE FACET KEY REASON"}
		}
		w := Waiver{words[0], Facet(words[1]), words[2], strings.Join(words[3:], " "), line}
		if _, err := ParseFacets(words[1]); err != nil {
			return nil, &SyntaxError{file, line, err.Error()}
		}
		for _, glob := range []string{w.Case, w.Key} {
			if _, err := path.Match(glob, ""); err != nil {
				return nil, &SyntaxError{file, line, "bad pattern " + glob}
			}
		}
		waivers = append(waivers, w)
	}
	return waivers, scanner.Err()
}

// Excuses tells whether the waiver covers a difference.
func (w Waiver) Excuses(caseID, sm string, d Difference) bool {
	return w.Facet == d.Facet && matchCase(w.Case, caseID, sm) && matchKey(w.Key, d.Key)
}

// matchCase matches a glob over "area/name" or "area/name/sm_80".
func matchCase(glob, caseID, sm string) bool {
	if ok, err := path.Match(glob, caseID); err == nil && ok {
		return true
	}
	ok, err := path.Match(glob, caseID+"/sm_"+sm)
	return err == nil && ok
}

// matchKey is path.Match, but * matches slashes too.
func matchKey(glob, key string) bool {
	const other = "\x00"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", other), strings.ReplaceAll(key, "/", other))
	return err == nil && ok
}
