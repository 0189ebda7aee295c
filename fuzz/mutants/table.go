package main

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A tally counts the outcomes of the mutants of a package.
type tally struct {
	compiling, beyond, corpus, tests, unnoticed, equivalent int
	within, held                                            int // numbers of mutants that the corpus could kill, and that it killed
	survivors                                               []*point
}

func (t *tally) add(p *point, r result) {
	f := r.Outcome
	if f == invalid {
		return
	}
	t.compiling++
	switch {
	case r.Beyond:
		t.beyond++
	case f == byCorpus:
		t.within, t.held = t.within+1, t.held+1
	case f != equivalent:
		t.within++
	}
	switch f {
	case byCorpus:
		t.corpus++
	case byTests:
		t.tests++
	case equivalent:
		t.equivalent++
	default:
		if f == unnoticed {
			t.unnoticed++
		}
		t.survivors = append(t.survivors, p)
	}
}

// share returns n as a percentage of the mutants that can be killed.
func (t *tally) share(n int) string {
	if t.compiling == t.equivalent {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(t.compiling-t.equivalent))
}

// writeTable returns the page, with a row for each package and a list of the survivors. sample describes how the mutants
// were chosen. of returns the result of each.
func writeTable(sample string, points []*point, of func(*point) (r result, known bool)) string {
	tallies := map[string]*tally{}
	all := &tally{}
	for _, p := range points {
		r, known := of(p)
		if !known {
			continue
		}
		name := path.Dir(p.File)
		if tallies[name] == nil {
			tallies[name] = &tally{}
		}
		tallies[name].add(p, r)
		all.add(p, r)
	}
	var b strings.Builder
	b.WriteString(`# What notices a changed linker

Made by ` + "`go run ./fuzz/mutants`" + `; do not edit. Each mutant is culink with one point of its source changed. The corpus
notices it when a case fails, which holds any linker to the same; the tests, when a Go test fails. Equivalent mutants, which
nothing can notice, do not count for the shares; ` + "`fuzz/mutants/equivalent.txt`" + ` says why they are. Beyond the corpus
is what no case executes, what culink does that nvlink does not, and the packages, files and calls of ` + "`fuzz/mutants/own.txt`" + `,
whose work no output shows.

` + sample + `

| package | mutants | beyond the corpus | corpus | and tests | survive | equivalent |
| --- | --- | --- | --- | --- | --- | --- |
`)
	row := func(name string, t *tally) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d (%s) | %d (%s) | %d | %d |\n", name, t.compiling, t.beyond,
			t.corpus, t.share(t.corpus), t.corpus+t.tests, t.share(t.corpus+t.tests), len(t.survivors), t.equivalent)
	}
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		row(name, tallies[name])
	}
	row("all", all)
	fmt.Fprintf(&b, "\nOf the %d that are not beyond the corpus it kills %d (%.0f %%).\n", all.within, all.held, 100*float64(all.held)/float64(max(all.within, 1)))
	if all.unnoticed > 0 {
		fmt.Fprintf(&b, "\nThe tests were not run on %d of the survivors.\n", all.unnoticed)
	}
	b.WriteString("\n## Survivors\n\n")
	slices.SortFunc(all.survivors, func(p, q *point) int {
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.offset, q.offset))
	})
	for _, p := range all.survivors {
		fmt.Fprintf(&b, "- `%s` %s: `%s` becomes `%s`\n", p.File, p.Function, short(p.From), short(p.To))
	}
	if len(all.survivors) == 0 {
		b.WriteString("None.\n")
	}
	return b.String()
}

// short returns source text in a form that fits on a line of the list.
func short(source string) string {
	const most = 70
	s := strings.Join(strings.Fields(source), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " ..."
	}
	return strings.ReplaceAll(cmp.Or(s, "nothing"), "`", "'")
}
