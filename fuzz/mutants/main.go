// Mutants measures which faults the checks of the linker notice. It changes one point of the linker's source at a time,
// such as a comparison, a number, or a removed statement. Then it runs the checks on the changed culink: first the
// corpus, which applies to any linker, and then the Go tests. If no check fails, no test covers the changed line.
//
//	go run ./fuzz/mutants -n 400 -seed 2026-11-26 -results fuzz/mutants/results.tsv -table mutants.md   # half an hour; may be stopped and continued
//	go run ./fuzz/mutants -n 5 -seed "$(git rev-parse HEAD)" -for 3m -tests=false
//	go run ./fuzz/mutants -list -packages linker/reloc
//
// All mutants in functions are part of one program, which is built once (together.go). Each mutant runs only on the
// checks that execute it (executes.go). The tests run after the corpus. The file of -results has a line for each mutant.
// A mutant with a line does not run again as long as the function around it is unchanged. equivalent.txt gives the
// reason for each survivor that no check can notice.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	var c campaign
	flag.IntVar(&c.number, "n", 400, "how many mutants")
	flag.StringVar(&c.seed, "seed", "1", "any `text`; another one chooses other mutants")
	flag.StringVar(&c.packages, "packages", "", "only packages that begin with one of these names, with commas between")
	flag.StringVar(&c.results, "results", "", "`file` of what is known, to which is added")
	flag.StringVar(&c.table, "table", "", "write the table to this `file` too")
	flag.BoolVar(&c.tests, "tests", true, "run the Go tests on what the corpus does not notice")
	flag.BoolVar(&c.again, "again", false, "run once more what no case notices")
	flag.IntVar(&c.jobs, "jobs", 0, "links at a time; 0 for one on each processor")
	list := flag.Bool("list", false, "list the mutants and end")
	limit := flag.Duration("for", 0, "end after this time; 0 for no limit")
	flag.Parse()
	if flag.NArg() > 0 || c.number < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *limit)
		defer cancel()
	}
	start := time.Now()
	err := c.run(ctx, *list)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		fmt.Printf("stopped after %s\n", time.Since(start).Round(time.Second))
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

// splitList splits a list at commas. An empty list has no items.
func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}
