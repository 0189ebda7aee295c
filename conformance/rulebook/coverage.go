package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// The coverage lists the tests of each rule: cases, scenarios and Go tests. Cases can be run on any linker, and the
// others only on culink.

// A Coverage holds the rules of a repository with the tests that cite them.
type Coverage struct {
	Rules []CoveredRule // sorted as in docs/rules.tsv
	// Orphans lists rules without a test, and cited ids that are not rules.
	Orphans []string
}

// A CoveredRule is a rule with the tests that cite it.
type CoveredRule struct {
	Rule
	Cases     []string // "area/name"
	Scenarios []string // names of testscripts
	Tests     []string // files of Go tests
}

// MeasureCoverage reads docs/rules.tsv and the citations in a repository.
func MeasureCoverage(root fs.FS) (*Coverage, error) {
	book, err := Read(root)
	if err != nil {
		return nil, err
	}
	citations, err := book.Citations(root)
	if err != nil {
		return nil, err
	}
	c := &Coverage{Orphans: book.Orphans(citations)}
	index := map[string]int{}
	for i, r := range book.Rules {
		c.Rules = append(c.Rules, CoveredRule{Rule: r})
		index[r.ID] = i
	}
	for _, cite := range citations {
		i, known := index[cite.Rule]
		if !known || !cite.Tests {
			continue
		}
		r := &c.Rules[i]
		switch name := path.Base(cite.File); {
		case name == "case.txt":
			r.Cases = append(r.Cases, strings.TrimPrefix(path.Dir(cite.File), "corpus/"))
		case path.Ext(name) == ".txtar":
			r.Scenarios = append(r.Scenarios, strings.TrimSuffix(name, ".txtar"))
		default:
			r.Tests = append(r.Tests, cite.File)
		}
	}
	return c, nil
}

// Totals returns how many rules each kind of test covers.
func (c *Coverage) Totals() string {
	cases, scenarios, testsOnly := 0, 0, 0
	for _, r := range c.Rules {
		if len(r.Cases) > 0 {
			cases++
		}
		if len(r.Scenarios) > 0 {
			scenarios++
		}
		if len(r.Cases)+len(r.Scenarios) == 0 && len(r.Tests) > 0 {
			testsOnly++
		}
	}
	return fmt.Sprintf("%d rules: %d in cases, %d in scenarios, %d in Go tests only, %d in none",
		len(c.Rules), cases, scenarios, testsOnly, len(c.Rules)-c.tested())
}

func (c *Coverage) tested() int {
	n := 0
	for _, r := range c.Rules {
		if len(r.Cases)+len(r.Scenarios)+len(r.Tests) > 0 {
			n++
		}
	}
	return n
}

// WritePage writes the coverage as a page.
func (c *Coverage) WritePage(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(`# What tests each rule

Made by ` + "`cuconform rules -root . -coverage FILE`" + `. The rules are in [rules.md](rules.md). A case checks
any linker; a scenario (testscripts/) and a Go test check only culink. The first three of each kind are named.
`)
	area := ""
	for _, r := range c.Rules {
		if r.area() != area {
			area = r.area()
			fmt.Fprintf(b, "\n## %s\n\n| rule | cases | scenarios | Go tests |\n| --- | --- | --- | --- |\n", area)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.ID, someOf(r.Cases), someOf(r.Scenarios), someOf(r.Tests))
	}
	return b.Flush()
}

// someOf returns the first three items of a list, and the number of the others.
func someOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
