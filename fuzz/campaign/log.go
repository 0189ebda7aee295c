package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A turn is the result of running a target for one slice of time.
type turn struct {
	Target    string
	Wall, CPU time.Duration
	Execs     int
	New       int    // inputs that reached new code
	Total     int    // inputs kept, seeds too
	Finding   string // file with the input that made the target fail, or another error
}

var (
	progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+) \(total: (\d+)\)`)
	failing  = regexp.MustCompile(`Failing input written to (\S+)`)

	// Before Go 1.27, the engine may report the end of its time as a failure (golang/go issue 75804).
	timeIsUp = regexp.MustCompile(`(?m)^--- FAIL: \S+ \(\S+\)\n    context deadline exceeded\nFAIL$`)
)

// parseTurn parses the output of a fuzz engine.
func parseTurn(out string) turn {
	var t turn
	for l := range strings.Lines(out) {
		if m := progress.FindStringSubmatch(l); m != nil {
			t.Execs, _ = strconv.Atoi(m[1])
			t.New, _ = strconv.Atoi(m[2])
			t.Total, _ = strconv.Atoi(m[3])
		}
		if m := failing.FindStringSubmatch(l); m != nil {
			t.Finding = m[1]
		}
	}
	return t
}

func (t turn) String() string {
	s := fmt.Sprintf("%-24s %9d executions, %4d new of %d, %.0f s", t.Target, t.Execs, t.New, t.Total, t.Wall.Seconds())
	if t.Finding != "" {
		s += ", FOUND " + t.Finding
	}
	return s
}

// A turnLog is the file with a line for each turn.
type turnLog struct{ *os.File }

func openLog(name string) (turnLog, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return turnLog{}, err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return turnLog{f}, err
}

func (l turnLog) add(t turn) error {
	_, err := fmt.Fprintf(l, "%s\t%.1f\t%.1f\t%d\t%d\t%d\t%s\n", t.Target, t.Wall.Seconds(), t.CPU.Seconds(), t.Execs, t.New, t.Total, t.Finding)
	return err
}

// readLog reads the turns of a log.
func readLog(name string) ([]turn, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var turns []turn
	for l := range strings.Lines(string(data)) {
		var t turn
		var wall, cpu float64
		words := strings.Split(strings.TrimRight(l, "\n"), "\t")
		if len(words) != 7 {
			return nil, fmt.Errorf("%s: no turn: %q", name, l)
		}
		_, err := fmt.Sscan(strings.Join(words[1:6], " "), &wall, &cpu, &t.Execs, &t.New, &t.Total)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %q", name, err, l)
		}
		t.Target, t.Finding = words[0], words[6]
		t.Wall, t.CPU = time.Duration(wall*1e9), time.Duration(cpu*1e9)
		turns = append(turns, t)
	}
	return turns, nil
}

// leastFirst sorts targets by their total time so far, the smallest first.
func leastFirst(targets []target, turns []turn) {
	had := map[string]time.Duration{}
	for _, t := range turns {
		had[t.Target] += t.CPU
	}
	slices.SortStableFunc(targets, func(a, b target) int { return cmp.Compare(had[a.String()], had[b.String()]) })
}

// summary returns a table of the turns, with a row for each target.
func summary(turns []turn) string {
	sums := map[string]turn{}
	findings := map[string]int{}
	var all turn
	var names []string
	for _, t := range turns {
		s, seen := sums[t.Target]
		if !seen {
			names = append(names, t.Target)
		}
		for _, sum := range []*turn{&s, &all} {
			sum.Execs += t.Execs
			sum.CPU += t.CPU
			sum.New += t.New
			sum.Total = max(sum.Total, t.Total) // a turn may end before the engine has read its seeds
		}
		sums[t.Target] = s
		if t.Finding != "" {
			findings[t.Target]++
			findings["all"]++
		}
	}
	slices.Sort(names)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "target\texecutions\tcore-minutes\tnew inputs\tkept inputs\tfindings\t")
	row := func(name string, t turn) {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t%d\t%d\t\n", name, t.Execs, t.CPU.Minutes(), t.New, t.Total, findings[name])
	}
	for _, name := range names {
		row(name, sums[name])
	}
	all.Total = 0
	for _, s := range sums {
		all.Total += s.Total
	}
	row("all", all)
	w.Flush()
	return b.String()
}
