package main

import (
	"fmt"
	"os"
	"strings"
)

// What became of a mutant is one line of a file, which only grows: a campaign that was stopped
// goes on where it was, and one of next month runs only what is new.

// An outcome is what became of a mutant.
type outcome string

const (
	invalid    outcome = "invalid"    // does not compile
	byCorpus   outcome = "corpus"     // a case of the corpus fails
	byTests    outcome = "tests"      // a Go test fails
	unnoticed  outcome = "corpus-ok"  // no case fails; the tests were not run
	survived   outcome = "survived"   // nothing fails
	equivalent outcome = "equivalent" // nothing can: equivalent.txt says why
)

// A result is the outcome of one mutant, by its key.
type result struct {
	Key     string
	Outcome outcome
	Killer  string  // the case or the package of the test that failed
	Took    float64 // seconds
	Beyond  bool    // no case executes it
}

// A record is a file of results.
type record struct {
	name string
	by   map[string]result
}

// openRecord reads the file, of which the last line about a mutant counts; "" is kept in
// memory alone.
func openRecord(name string) (*record, error) {
	r := &record{name: name, by: map[string]result{}}
	if name == "" {
		return r, nil
	}
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return r, nil
	}
	for line := range strings.Lines(string(data)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(words) != 5 {
			continue // cut off, when the campaign was killed
		}
		e := result{Key: words[0], Outcome: outcome(words[1]), Killer: words[2], Beyond: words[4] == "beyond"}
		fmt.Sscan(words[3], &e.Took)
		r.by[e.Key] = e
	}
	return r, err
}

// add keeps a result.
func (r *record) add(e result) error {
	r.by[e.Key] = e
	if r.name == "" {
		return nil
	}
	f, err := os.OpenFile(r.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	where := "within"
	if e.Beyond {
		where = "beyond"
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t%s\t%.1f\t%s\n", e.Key, e.Outcome, e.Killer, e.Took, where)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// parseReasons reads a file of what nothing can notice: a key and, after a tab, why.
func parseReasons(name, text string) (map[string]string, error) {
	why := map[string]string{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		key, reason, _ := strings.Cut(line, "\t")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: a key without a reason", name, number)
		}
		if why[key] != "" {
			return nil, fmt.Errorf("%s:%d: a second time", name, number)
		}
		why[key] = reason
	}
	return why, nil
}
