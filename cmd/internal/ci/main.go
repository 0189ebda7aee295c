// Command ci runs all checks that must pass before a change is merged. The script .ci/run starts it:
//
//	.ci/run             every step that is not nightly, and a nightly step that depends on the date, if ten minutes are left
//	.ci/run STEP...     only these steps
//	.ci/run -l          a list of the steps, with the minutes that each may take on two cores
//
// It needs Go. Steps with NVIDIA's tools need Linux on amd64, python3 with pip, and the network, because
// install-oracle.sh downloads the tools. If they cannot be installed, the summary lists such a step as NOT RUN.
// CULINK_ORACLE names a folder with tools that are already installed.
//
// The exit status is that of the command that failed, 128+n after signal n, and 2 for an unknown step. All steps
// together take less than 25 minutes. A step that becomes too slow for its budget moves to the nightly workflow.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) > 0 && args[0] == "-l" {
		list(os.Stdout, steps)
		return 0
	}
	for _, name := range args {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.name == name }) {
			fmt.Fprintf(os.Stderr, "no step %s: .ci/run -l lists them\n", name)
			return 2
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	go func() { cancel(interruption{(<-signals).(syscall.Signal)}) }()

	r := &runner{ctx: ctx, stdout: os.Stdout, stderr: os.Stderr, oracle: os.Getenv(oracleVariable), day: int(time.Now().Unix() / (24 * 60 * 60))}
	return r.run(steps, args)
}
