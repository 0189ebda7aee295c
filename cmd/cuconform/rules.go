package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/docs"
	"github.com/culink/culink/linker/show"
)

const rulesAbout = `With ids, or the starts of ids (MERGE, LAYOUT-50, KIT-060.2), prints the rules and the cases that cite them; without, the areas. -page and -coverage write the two pages that are made from the rules.`

// setupRules defines the command that shows rules (docs/rules.tsv) and generates the pages about them.
func setupRules(flags *flag.FlagSet) commandline.Action {
	root := flags.String("root", ".", "`FOLDER` of a checkout of the repository, for -page and -coverage")
	page := flags.String("page", "", "write the rules as a page to this `FILE`")
	coverage := flags.String("coverage", "", "write the page that says what tests each rule to this `FILE`, and the totals to standard output; exit status 1 when something is not tested")
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if *page != "" {
			if err := makeRules(*root, *page); err != nil {
				return 0, err
			}
		}
		if *coverage != "" {
			return makeCoverage(*root, *coverage, stdout)
		}
		if *page != "" {
			return commandline.OK, nil
		}
		return showRules(args, stdout)
	}
}

// showRules prints the rules whose ids begin with one of the words. Without words it prints the areas.
func showRules(words []string, stdout io.Writer) (int, error) {
	book, err := rulebook.Parse(docs.Rules)
	if err != nil {
		return 0, err
	}
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		return 0, err
	}
	citing := map[string][]string{}
	for _, c := range cases {
		for _, id := range c.Rules {
			citing[id] = append(citing[id], c.ID())
		}
	}
	if len(words) == 0 {
		for _, a := range book.Areas {
			fmt.Fprintf(stdout, "%-7s %3d  %s\n", a.Name, len(book.Find(a.Name+"-")), a.Title)
		}
	}
	for _, word := range words {
		rules := book.Find(strings.ToUpper(word))
		if len(rules) == 0 {
			return 0, fmt.Errorf("no rule %q; cuconform rules lists the areas", word)
		}
		for _, r := range rules {
			for _, c := range r.Clauses {
				fmt.Fprintf(stdout, "%s  %s\n    evidence: %s\n", c.ID, c.Statement, c.Evidence)
			}
			if list := citing[r.ID]; list != nil {
				fmt.Fprintf(stdout, "    cases: %s\n", strings.Join(list, ", "))
			}
		}
	}
	return commandline.OK, nil
}

// makeRules writes the page of rules, from the rules of a checkout.
func makeRules(root, page string) error {
	book, err := rulebook.Read(os.DirFS(root))
	if err != nil {
		return err
	}
	return writeFile(page, book.WritePage)
}

// makeCoverage writes a page with the tests of each rule of a checkout.
func makeCoverage(root, page string, stdout io.Writer) (int, error) {
	coverage, err := rulebook.MeasureCoverage(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	if err := writeFile(page, coverage.WritePage); err != nil {
		return 0, err
	}
	fmt.Fprintln(stdout, coverage.Totals())
	if len(coverage.Orphans) > 0 {
		for _, o := range coverage.Orphans {
			fmt.Fprintln(stdout, show.Line(o))
		}
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}
