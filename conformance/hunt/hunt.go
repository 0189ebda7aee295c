// Package hunt links random programs with the linker under test and with the installed reference linker. It stores the
// programs on which the two differ.
//
// A trial (trial.go) is a random program (package generate) or a random choice of compiled units. The order of its
// inputs and its options are random too. Both linkers run on it as child processes, and package versus compares the
// results. The first few trials of each class of differences are reduced (reduce.go). They are stored in a folder with
// everything that is needed to repeat them. The same seed gives the same trials.
package hunt

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/versus"
	commandoption "github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/show"
)

// A hunter holds the data that all trials share.
type hunter struct {
	oracle     *oracle
	assemblers []*oracle // tools of the releases whose units are mixed; if empty, the units are of oracle's release
	reference  *sandbox.Linker
	server     *sandbox.Server // runs before the reference; nil if there is none
	linker     *sandbox.Linker
	pair       versus.Pair                        // how outcomes are compared; judge sets the linkers
	ptx        int                                // PTX version of the programs; 0: the default
	command    struct{ reference, linker string } // commands as the user gave them, for the scripts
	seed       uint64
	units      int
	chains     int // partial links in 100
	constructs []string
	options    []option
	pools      map[int][]*member
	hosts      *hostForm            // form of the host objects of trials; nil: there are none
	cases      map[int][]*caseFiles // recorded cases by SM whose files are linked, instead of programs and the pool
	keep       string
	perClass   int
	shrink     bool
	reduceTime time.Duration // limit for one difference
	end        time.Time     // when the last trial starts; zero: after n trials

	mu   sync.Mutex
	kept map[string]int // number of findings by class that are stored or being reduced
}

// A finding is a trial on which the linkers differ or that could not be judged.
type finding struct {
	trial  *trial
	class  string
	folder string
	detail string
}

// A tally is the result of a hunt on one architecture.
type tally struct {
	target    string
	trials    int
	next      int // number of the trial after the last one
	unstarted int // trials for which no time was left
	findings  []finding
	refused   []finding   // units that ptxas refused
	exits     map[int]int // number of trials by exit status of the reference

	functions codematch.Count // functions for sm_100 and later, in all trials
	masked    int             // trials that differ only in schedules
	byChoice  int             // trials with a difference that docs/errata.md lists
}

// run tries n trials for one target with the given number of workers. It starts no trial after the hunter's end.
func (h *hunter) run(target string, from, n, jobs int, trial func(number int) *trial, progress io.Writer) tally {
	t := tally{target: target, exits: map[int]int{}}
	results := make([]result, n)
	next := make(chan int)
	var wait sync.WaitGroup
	for range jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				results[i] = h.try(trial(from + i))
			}
		}()
	}
	for t.trials < n && h.hasTime() {
		next <- t.trials
		t.trials++
		if progress != nil && t.trials%200 == 0 {
			fmt.Fprintf(progress, "sm_%s: %d of %d\n", target, t.trials, n)
		}
	}
	close(next)
	wait.Wait()
	t.next, t.unstarted = from+t.trials, n-t.trials
	for _, r := range results[:t.trials] {
		t.exits[r.exit]++
		t.functions.Add(r.functions)
		switch {
		case r.byChoice:
			t.byChoice++
		case r.finding == nil:
			if r.functions.Masked > 0 {
				t.masked++
			}
		case r.refused:
			t.refused = append(t.refused, *r.finding)
		default:
			t.findings = append(t.findings, *r.finding)
		}
	}
	return t
}

// A result is the result of one trial.
type result struct {
	finding   *finding // nil if the linkers agree
	refused   bool     // ptxas rejected a unit, or the linker refused to lose relocations
	exit      int      // exit status of the reference
	functions codematch.Count
	byChoice  bool // the linkers differ as docs/errata.md says
}

// hasTime reports whether the time of a target is not over.
func (h *hunter) hasTime() bool { return h.end.IsZero() || time.Now().Before(h.end) }

// try runs one trial.
func (h *hunter) try(t *trial) result {
	v, err := h.judge(t)
	if err != nil {
		var e *compileError
		f := &finding{trial: t, class: "harness: " + versus.Pattern(err.Error()), detail: err.Error()}
		if errors.As(err, &e) {
			f.detail += "\n" + e.ptx
			return result{finding: f, refused: true}
		}
		return result{finding: f}
	}
	if v.Class == "" {
		return result{exit: v.Reference.Exit, functions: v.Functions, byChoice: v.Choice != "", refused: v.Refused}
	}
	f := &finding{trial: t, class: v.Class, detail: v.Detail}
	r := result{finding: f, exit: v.Reference.Exit, functions: v.Functions}
	if v.Reference.Trouble != "" {
		// A program that crashes another tool is not stored (CONF-012). The seed reproduces it.
		f.detail += "\nnot kept: the reference does not end by itself"
		return r
	}
	if h.keep == "" || !h.claim(v.Class) {
		return r
	}
	if h.shrink {
		t = h.reduce(t, v.Class)
	}
	if f.folder, err = h.save(t, v.Class); err != nil {
		f.detail = err.Error()
	}
	f.trial = t
	return r
}

// claim reports whether one more trial of a class should be stored, and counts it if so.
func (h *hunter) claim(class string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept[class]++
	return h.kept[class] <= h.perClass
}

var unsafe = late.Regexp(`[^A-Za-z0-9_.=-]+`)

// save writes a folder with inputs, sources, a script that repeats the links, both outcomes, and the comparison.
func (h *hunter) save(t *trial, class string) (string, error) {
	name := strings.Trim(unsafe().ReplaceAllString(class, "_"), "_")
	if len(name) > 80 {
		name = name[:80]
	}
	dir := filepath.Join(h.keep, name, fmt.Sprintf("%s-%d-%d", t.arch, h.seed, t.number))
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	v, err := h.judge(t)
	if err != nil {
		return dir, err
	}
	inputs, err := t.files(h.oracle)
	if err != nil {
		return dir, err
	}
	files := map[string]string{
		"class.txt":     class + "\n",
		"diff.txt":      v.Detail + "\n",
		"reference.txt": fmt.Sprintf("exit %d %s\n%s%s", v.Reference.Exit, v.Reference.Trouble, v.Reference.Stdout, v.Reference.Stderr),
		"other.txt":     fmt.Sprintf("exit %d %s\n%s%s", v.Other.Exit, v.Other.Trouble, v.Other.Stdout, v.Other.Stderr),
		"repeat.sh":     t.script(h.command.reference, h.command.linker, h.selecting()),
	}
	if v.Reference.Output != nil {
		files["reference.cubin"] = string(v.Reference.Output)
	}
	if v.Other.Output != nil {
		files["other.cubin"] = string(v.Other.Output)
	}
	if t.program != nil {
		for _, u := range t.program.Units {
			files[u.Name+".ptx"] = t.program.PTX(u)
		}
	}
	for name, data := range inputs {
		files[name] = string(data)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// selecting returns the environment variables with which culink stands in for the reference.
func (h *hunter) selecting() (variables []string) {
	if h.pair.Toolkit != "" {
		variables = append(variables, commandoption.ToolkitVariable+"="+h.pair.Toolkit)
	}
	if h.pair.Platform != "" {
		variables = append(variables, commandoption.PlatformVariable+"="+h.pair.Platform)
	}
	return variables
}

// summary prints how many trials differ, by class.
func (t *tally) summary(w io.Writer) {
	fmt.Fprintf(w, "sm_%s: %d trials, %d differ", t.target, t.trials, len(t.findings))
	if t.byChoice > 0 {
		fmt.Fprintf(w, ", %d by choice (docs/errata.md)", t.byChoice)
	}
	if len(t.refused) > 0 {
		fmt.Fprintf(w, ", %d refused by ptxas", len(t.refused))
	}
	fmt.Fprintf(w, "; the reference exits with 0: %d, 1: %d, 255: %d\n", t.exits[0], t.exits[1], t.exits[255])
	if t.unstarted > 0 {
		fmt.Fprintf(w, "        no time was left for %d trials: go on with -from %d\n", t.unstarted, t.next)
	}
	if t.functions != (codematch.Count{}) {
		fmt.Fprintf(w, "%6d  no difference but in schedules; all files: %s\n", t.masked, t.functions)
	}
	classes := map[string][]finding{}
	var names []string
	for _, f := range append(t.findings, t.refused...) {
		if classes[f.class] == nil {
			names = append(names, f.class)
		}
		classes[f.class] = append(classes[f.class], f)
	}
	sort.SliceStable(names, func(i, j int) bool { return len(classes[names[i]]) > len(classes[names[j]]) })
	for _, name := range names {
		list := classes[name]
		fmt.Fprintf(w, "%6d  %s\n", len(list), show.Line(name))
		smallest := ""
		for _, f := range list {
			if f.folder != "" && (smallest == "" || len(f.trial.order) < fileCount(list, smallest)) {
				smallest = f.folder
			}
		}
		if smallest != "" {
			fmt.Fprintf(w, "        %s\n", show.Line(smallest))
		} else {
			fmt.Fprintf(w, "        trial %d\n", list[0].trial.number)
		}
	}
}

// details prints the comparison of each difference.
func (t *tally) details(w io.Writer) {
	for _, f := range slices.Concat(t.findings, t.refused) {
		fmt.Fprintf(w, "\n== trial %d: %s\n%s\n", f.trial.number, show.Line(f.class), show.Lines(f.detail))
	}
}

// fileCount returns the number of inputs of the finding in a folder.
func fileCount(list []finding, folder string) int {
	for _, f := range list {
		if f.folder == folder {
			return len(f.trial.order)
		}
	}
	return 0
}
