// Command cuconform checks linkers of CUDA device code against recorded results of nvlink 13.0.88.
//
// It contains the corpus and culink. If it is started under the name nvlink, it acts as culink. If the user names no
// linker, it starts itself under that name.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	culink "github.com/culink/culink/cmd/culink/command"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/explore"
	"github.com/culink/culink/conformance/hunt"
	"github.com/culink/culink/conformance/info"
	"github.com/culink/culink/conformance/library"
	"github.com/culink/culink/conformance/race"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
)

// program returns the table of commands.
func program() *commandline.Program {
	p := &commandline.Program{
		Name:    "cuconform",
		Summary: "Checks linkers of CUDA device code against recorded results of nvlink " + suite.Toolkit + ".",
		Status:  "Exit status: 0 when all is well, 1 when something fails or differs, 2 when the command line or a file is wrong.",
	}
	p.Commands = []commandline.Command{
		{Name: "run", Summary: "link the corpus with culink, or another linker, and judge it", About: runAbout,
			Words: map[string][]string{"facet": facetNames(), "waivers": {culinkWaivers}}, Setup: setupRun},
		{Name: "merge", Summary: "join the reports of shards", Arguments: "FILE.json...", Setup: setupMerge},
		{Name: "scoreboard", Summary: "show the reports of several linkers side by side", Arguments: "[NAME=]FILE.json...", About: scoreboardAbout, Setup: setupScoreboard},
		{Name: "list", Summary: "list the cases", Setup: setupList},
		{Name: "rules", Summary: "show rules and what tests them", Arguments: "[RULE...]", About: rulesAbout, Setup: setupRules},
		{Name: "reduce", Summary: "make a link that fails smaller", Arguments: "CASE | FILE...", About: reduceAbout,
			Words: map[string][]string{"facet": facetNames()}, Setup: setupReduce},
		{Name: "replay", Summary: "do a link again that culink --repro packed", Arguments: "FILE", Setup: setupReplay},
		diff.Command(),
		info.Command(),
		{Name: "dump", Summary: "print a cubin as text", Arguments: "FILE", Setup: setupDump},
		{Name: "build", Summary: "make a cubin from its text", Arguments: "FILE", Setup: setupBuild},
		hunt.Command(builtIn, hunt.Libraries{Linker: library.Linker, Calls: huntCalls}),
		explore.Command(library.Linker),
		race.Command(builtIn),
		{Name: "releases", Summary: "say which builds of nvlink culink does not know", Arguments: "[PACKAGE...]", About: releasesAbout, Setup: setupReleases},
		{Name: "corpus", Summary: "write the corpus as plain files", About: corpusAbout, Setup: setupCorpus},
		{Name: "record", Summary: "record what the real nvlink, or libnvJitLink, does", Setup: setupRecord},
		{Name: "completion", Summary: "print the completion for a shell", Arguments: "SHELL", About: completionAbout,
			Words: map[string][]string{"": commandline.Shells}, Setup: setupCompletion(p)},
		{Name: "man", Summary: "print a manual page", Arguments: "[culink]", About: manualAbout,
			Words: map[string][]string{"": {culinkPage}}, Setup: setupManual(p)},
	}
	return p
}

func main() {
	switch {
	case os.Getenv(explore.Serving) != "":
		if err := explore.Serve(culink.Run, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "cuconform:", err)
			os.Exit(commandline.Misuse)
		}
		return
	case actsAsCulink(os.Args[0]):
		culink.Main()
	}
	os.Exit(run(endedBySignals(), os.Args[1:], os.Stdout, os.Stderr))
}

// timeToEnd is the time that a command has to end after a signal.
const timeToEnd = 10 * time.Second

// endedBySignals returns a context that the first signal cancels. The program ends at a second signal, or if the command
// takes longer than timeToEnd after the first one.
func endedBySignals() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, endings()...)
	go func() {
		first := <-ended
		signal.Stop(ended)
		cancel()
		time.Sleep(timeToEnd)
		status := commandline.Misuse
		if number, ok := first.(syscall.Signal); ok {
			status = 128 + int(number)
		}
		os.Exit(status)
	}()
	return ctx
}

// endings returns the signals that end a command early. The command then removes its unfinished files (CONF-660). nohup
// makes programs ignore SIGHUP, so under nohup SIGHUP is not among the signals.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// run runs a command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return program().Run(ctx, args, stdout, stderr)
}

// huntCalls runs sequences of calls on a libnvJitLink.
func huntCalls(ctx context.Context, c hunt.CallTrials, stdout io.Writer) (int, error) {
	t := library.Trials{
		CommandLine: library.CommandLine{Library: c.Library, Real: c.Real, Release: c.Release, Trust: c.Trust, Time: sandbox.DefaultLimits.Time},
		Oracle:      c.Oracle, From: c.From, N: c.N, Seed: c.Seed, Shrink: c.Shrink,
	}
	return t.Hunt(ctx, stdout)
}

// reference is the name under which cuconform acts as culink. It is the name in the recordings, so messages and notes
// must contain it. A packed link may have any name, so for such a link an environment variable selects culink.
const (
	reference = "nvlink"
	asCulink  = "CUCONFORM_AS_CULINK"
)

// actsAsCulink reports whether this program acts as culink under a name.
func actsAsCulink(name string) bool {
	return os.Getenv(asCulink) != "" || strings.TrimSuffix(filepath.Base(name), ".exe") == reference
}

// builtIn returns the built-in culink.
func builtIn() (*sandbox.Linker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &sandbox.Linker{Command: []string{self}, Name: reference, Limits: sandbox.DefaultLimits, Env: []string{asCulink + "=1"}}, nil
}

// linkerUnderTest returns the linker of a command, or culink if the command is empty.
func linkerUnderTest(command string) (*sandbox.Linker, error) {
	if command == "" {
		return builtIn()
	}
	words, err := sandbox.ParseCommand(command)
	if err != nil {
		return nil, fmt.Errorf("the linker cannot be started: %w", err)
	}
	return &sandbox.Linker{Command: words, Limits: sandbox.DefaultLimits}, nil
}
