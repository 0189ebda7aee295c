package main

import (
	"fmt"
	"os"
	"strings"
)

// Each result is one line of a file to which lines are only added. So a stopped campaign can continue, and a later
// campaign runs only new mutants.

// An outcome is the class of a result.
type outcome string

const (
	invalid    outcome = "invalid"    // does not compile
	byCorpus   outcome = "corpus"     // a case of the corpus fails
	byTests    outcome = "tests"      // a Go test fails
	unnoticed  outcome = "corpus-ok"  // no case fails; the tests were not run
	survived   outcome = "survived"   // nothing fails
	equivalent outcome = "equivalent" // no check can fail, for the reason in equivalent.txt
)

// A result is the outcome of one mutant. Key identifies the mutant.
type result struct {
	Key     string
	Outcome outcome
	Killer  string  // the case that failed, or the package of the test that failed
	Took    float64 // seconds
	Beyond  bool    // no case executes it
}

// A record is a file of results.
type record struct {
	name string
	by   map[string]result
}

// openRecord reads the file. If a mutant has several lines, the last one counts. If the name is "", results are kept in
// memory only.
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
			continue // an incomplete line, because the campaign was killed
		}
		e := result{Key: words[0], Outcome: outcome(words[1]), Killer: words[2], Beyond: words[4] == "beyond"}
		fmt.Sscan(words[3], &e.Took)
		r.by[e.Key] = e
	}
	return r, err
}

// add stores a result.
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

// parseReasons reads a file about points that no check can notice. A line has a key, a tab, and the reason.
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
