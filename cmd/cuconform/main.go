// Command cuconform checks linkers of CUDA device code against recorded
// results of nvlink 13.0.88.
//
//	cuconform run      run culink, or another linker, on the corpus
//	cuconform merge    join the reports of shards
//	cuconform rules    say which cases and scenarios test each rule
//	cuconform record   record what the real nvlink does
//	cuconform list     list the cases
//	cuconform diff     compare two cubins structure by structure
//	cuconform hunt     link random programs with a linker and the live nvlink
//	cuconform reduce   make a link that fails smaller
//	cuconform replay   do a link again that culink --repro packed
//	cuconform dump     print a cubin as text
//	cuconform build    make a cubin from its text
//	cuconform info     say what is in cubins, fat binaries, objects, archives
//
// Exit status: 0 when all is well, 1 when a case fails or something differs,
// 2 when the command line or the corpus is wrong.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/hunt"
	"github.com/culink/culink/conformance/info"
	"github.com/culink/culink/conformance/library"
)

// A command is one subcommand. It prints its own results; an error is misuse
// or a failure of the harness itself.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, stdout, stderr io.Writer) (status int, err error)
}

// Exit statuses.
const (
	exitOK      = 0
	exitDiffers = 1
	exitMisuse  = 2
)

// commands lists the subcommands; a new one is a row.
func commands() []command {
	return []command{
		{"run", "run culink, or another linker, on the corpus", runCorpus},
		{"merge", "join the reports of shards", merge},
		{"rules", "say which cases and scenarios test each rule", rules},
		{"record", "record what the real nvlink does", record},
		{"list", "list the cases", list},
		{"diff", "compare two cubins structure by structure", streams(diff.Run)},
		{"hunt", "link random programs with culink and the real nvlink", streams(hunt.Run)},
		{"reduce", "make a link that fails smaller", reduceLink},
		{"replay", "do a link that culink --repro packed again", replayFile},
		{"dump", "print a cubin as text", dump},
		{"build", "make a cubin from its text", build},
		{"info", "say what is in cubins, fat binaries, objects, archives", streams(info.Run)},
	}
}

// streams fits a command that gives the exit statuses itself into the list.
func streams(run func(args []string, stdout, stderr io.Writer) int) func(context.Context, []string, io.Writer, io.Writer) (int, error) {
	return func(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
		return run(args, stdout, stderr), nil
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(dispatch(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if library.Asked(args) {
		status, err := library.Command(ctx, args, stdout, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "cuconform %s: %v\n", args[0], err)
			return exitMisuse
		}
		return status
	}
	args, remove, err := library.HuntArguments(ctx, args)
	if err != nil {
		fmt.Fprintf(stderr, "cuconform hunt: %v\n", err)
		return exitMisuse
	}
	defer remove()
	all := commands()
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprintln(stderr, "usage: cuconform COMMAND [options]   (cuconform COMMAND -h for its options)")
		for _, c := range all {
			fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.summary)
		}
		return exitMisuse
	}
	for _, c := range all {
		if c.name != args[0] {
			continue
		}
		status, err := c.run(ctx, args[1:], stdout, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "cuconform %s: %v\n", c.name, err)
			return exitMisuse
		}
		return status
	}
	fmt.Fprintf(stderr, "cuconform: unknown command %q\n", args[0])
	return exitMisuse
}
