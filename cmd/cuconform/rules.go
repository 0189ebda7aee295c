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
	"github.com/culink/culink/docs"
	"github.com/culink/culink/linker/show"
)

const rulesAbout = `With ids, or the starts of ids (MERGE, LAYOUT-50), prints the rules; without, the page that says what tests each rule, as it was when cuconform was built. -root makes that page anew from a checkout.`

// setupRules is the command that shows rules (docs/rules.md) and what tests them
// (docs/coverage.md).
func setupRules(flags *flag.FlagSet) commandline.Action {
	root := flags.String("root", "", "make the page from this `FOLDER`, a checkout of the repository")
	out := flags.String("o", "", "write the page to this `FILE`, and the totals to standard output (implies -root .)")
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		switch {
		case len(args) > 0:
			return showRules(args, stdout)
		case *root == "" && *out == "":
			_, err := io.WriteString(stdout, docs.Coverage)
			return commandline.OK, err
		case *root == "":
			*root = "."
		}
		return makeCoverage(*root, *out, stdout)
	}
}

// showRules prints the rules whose ids begin with one of the words.
func showRules(words []string, stdout io.Writer) (int, error) {
	book, err := rulebook.Parse(docs.Rules)
	if err != nil {
		return 0, err
	}
	for _, word := range words {
		found := false
		for _, r := range book.Rules {
			if strings.HasPrefix(r.ID, strings.ToUpper(word)) {
				found = true
				fmt.Fprintf(stdout, "%s  %s\n", r.ID, r.Statement)
			}
		}
		if !found {
			return 0, fmt.Errorf("no rule %q; areas are %s", word, strings.Join(book.Areas, ", "))
		}
	}
	return commandline.OK, nil
}

// makeCoverage writes the page of a checkout.
func makeCoverage(root, out string, stdout io.Writer) (int, error) {
	coverage, err := rulebook.MeasureCoverage(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	if out != "" {
		if err := writeFile(out, coverage.WritePage); err != nil {
			return 0, err
		}
	} else if err := coverage.WritePage(stdout); err != nil {
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
