// Campaign runs every fuzz target of the module in turn. It stores the inputs that the targets find, and prints a
// summary.
//
//	go run ./fuzz/campaign -slice 3s                                  # each target once, from its seeds
//	go run ./fuzz/campaign -for 8h -slice 5m -cores 4 -corpus DIR     # a night
//	go run ./fuzz/campaign -summary -log FILE                         # what was done until now
//
// A campaign can be stopped at any time, by an interrupt or SIGTERM, and continued later. The folder of -corpus has the
// inputs that reached new code. The file of -log has a line for each turn of a target, even for one that was
// interrupted. So the times of several campaigns add up, and the targets with the least time run first.
//
// An input that makes a target fail is written to testdata/fuzz of its package, as "go test -fuzz" does. The target does
// not run again in this campaign, and the exit status is 1.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

func main() {
	c := campaign{}
	flag.DurationVar(&c.total, "for", 0, "how long to go on; each target gets one turn at least")
	flag.DurationVar(&c.slice, "slice", 3*time.Second, "how long a turn of a target is")
	flag.IntVar(&c.cores, "cores", runtime.NumCPU(), "how many workers a target has")
	flag.StringVar(&c.corpus, "corpus", "", "folder that keeps inputs (a temporary one)")
	flag.StringVar(&c.log, "log", "", "file to which each turn is appended (campaign.tsv in the folder of -corpus)")
	done := flag.Bool("summary", false, "only show what the log says")
	flag.StringVar(&c.minimize, "minimize", "2x", "time or executions (2x) to make an input smaller; a whole link is slow")
	match := flag.String("run", "", "only targets that match this expression")
	flag.Parse()
	if flag.NArg() > 0 || c.cores < 1 || c.slice <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	if *done {
		turns, err := readLog(cmp.Or(c.log, filepath.Join(c.corpus, logName)))
		if err != nil {
			fmt.Fprintln(os.Stderr, "campaign:", err)
			os.Exit(2)
		}
		fmt.Print(summary(turns))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	found, err := c.run(ctx, *match)
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.Exit(2)
	}
	if found {
		os.Exit(1)
	}
}

// A campaign holds the values of the flags.
type campaign struct {
	total, slice time.Duration
	cores        int
	corpus, log  string
	minimize     string
}

// logName is the default name of the log.
const logName = "campaign.tsv"

// run runs all matching targets in turn. found reports whether a target failed.
func (c *campaign) run(ctx context.Context, match string) (found bool, err error) {
	wanted, err := regexp.Compile(match)
	if err != nil {
		return false, err
	}
	programs, err := os.MkdirTemp("", "campaign-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(programs)
	if c.corpus == "" {
		c.corpus = filepath.Join(programs, "corpus")
	}
	if c.corpus, err = filepath.Abs(c.corpus); err != nil {
		return false, err
	}
	targets, err := findTargets(ctx, wanted)
	if err != nil {
		return false, err
	}
	if len(targets) == 0 {
		return false, fmt.Errorf("no target matches %q", match)
	}
	if err := build(ctx, programs, targets); err != nil {
		return false, err
	}
	log, err := openLog(cmp.Or(c.log, filepath.Join(c.corpus, logName)))
	if err != nil {
		return false, err
	}
	defer log.Close()
	before, err := readLog(log.Name())
	if err != nil {
		return false, err
	}
	leastFirst(targets, before)

	resting := map[target]bool{}
	start := time.Now()
	for first := true; first || time.Since(start) < c.total && len(resting) < len(targets); first = false {
		for _, t := range targets {
			if ctx.Err() != nil || resting[t] {
				continue
			}
			turn, err := c.turn(ctx, t)
			if err != nil {
				return found, err
			}
			if turn.Finding != "" {
				resting[t], found = true, true
			}
			fmt.Println(turn)
			if err := log.add(turn); err != nil {
				return found, err
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	turns, err := readLog(log.Name())
	if err != nil {
		return found, err
	}
	fmt.Print(summary(turns))
	return found, nil
}

// grace is additional time for a target, in which it runs its seeds and minimises a finding.
const grace = 5 * time.Minute

// turn runs one target for a slice.
func (c *campaign) turn(ctx context.Context, t target) (turn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.slice+grace)
	defer cancel()
	cache := filepath.Join(c.corpus, filepath.FromSlash(t.pkg))
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return turn{}, err
	}
	cmd := exec.CommandContext(ctx, t.program,
		"-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+c.slice.String(),
		"-test.fuzzminimizetime="+c.minimize, "-test.fuzzcachedir="+cache, "-test.parallel="+strconv.Itoa(c.cores))
	cmd.Dir = t.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return turn{}, err
	}
	result := parseTurn(string(out))
	result.Target = t.String()
	result.Wall = time.Since(start)
	result.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		result.Finding = "does not end"
	case ctx.Err() == nil && err != nil && result.Finding == "" && !timeIsUp.Match(out):
		result.Finding = "a seed: " + err.Error()
	}
	if result.Finding != "" {
		os.Stdout.Write(out)
	}
	return result, nil
}
