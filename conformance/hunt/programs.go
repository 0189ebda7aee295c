package hunt

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/versus"
	"github.com/culink/culink/linker/show"
)

// Random programs are small and use few features. Real programs use tensor cores, asynchronous copies and thousands of
// templates. So `hunt -programs FOLDER` compiles every program of a folder for each target and links it in several ways
// (see ways). It stores the compiled files outside the source tree (see compiler).

// A program is a source file, or all source files of one folder.
type program struct {
	name    string
	sources []string // paths
}

// readPrograms returns the programs of a folder. Each source file in it is a program, and so is each subfolder with all
// sources below it.
func readPrograms(dir string) ([]program, error) {
	byName := map[string]*program{}
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".cu" {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
		name = strings.TrimSuffix(name, ".cu")
		if byName[name] == nil {
			byName[name] = &program{name: name}
			names = append(names, name)
		}
		byName[name].sources = append(byName[name].sources, path)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no program (*.cu)", dir)
	}
	list := make([]program, len(names))
	for i, name := range names {
		list[i] = *byName[name]
	}
	return list, nil
}

// A way is one of the ways in which each program is linked.
type way struct {
	name  string
	apply func(t *trial) bool // false: not possible for this program
}

var ways = []way{
	{"plain", func(t *trial) bool { return true }},
	{"reversed", func(t *trial) bool { slices.Reverse(t.order); return len(t.order) > 1 }},
	{"-g", withOption("-g")},
	{"-v", withOption("-v")},
	{"-r", withOption("-r")},
	{"two steps", func(t *trial) bool { t.partial = slices.Clone(t.order); return true }},
}

func withOption(option string) func(t *trial) bool {
	return func(t *trial) bool { t.options = append(t.options, option); return true }
}

// A wayTally counts the results of one kind of link for one target.
type wayTally struct {
	links, same, masked, lost, byChoice, refused int

	differ []finding
}

// A programTally counts the results of all programs for one target.
type programTally struct {
	target    string
	ways      map[string]*wayTally
	leftOut   []finding // programs that the compiler rejects
	functions codematch.Count
	scheduled map[string][]string // by program, the ways in which only a schedule differs
	untried   int                 // programs for which there was no time
}

func newProgramTally(target string) *programTally {
	t := &programTally{target: target, ways: map[string]*wayTally{}, scheduled: map[string][]string{}}
	for _, w := range ways {
		t.ways[w.name] = &wayTally{}
	}
	return t
}

// each calls do with the numbers below n, several at a time.
func each(jobs, n int, do func(i int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range jobs {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// each is the function each, but does not start after the end of the target's time.
func (h *hunter) each(t *programTally, mu *sync.Mutex, jobs, n int, do func(i int)) {
	each(jobs, n, func(i int) {
		if h.hasTime() {
			do(i)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		t.untried++
	})
}

// runPrograms links all programs for one target in all ways.
func (h *hunter) runPrograms(target string, list []program, c *compiler, link []string, jobs int) *programTally {
	t := newProgramTally(target)
	var mu sync.Mutex
	h.each(t, &mu, jobs, len(list), func(i int) { h.runProgram(t, &mu, i, list[i], c, link) })
	return t
}

// runProgram links one program in all ways.
func (h *hunter) runProgram(t *programTally, mu *sync.Mutex, number int, p program, c *compiler, link []string) {
	base := trial{number: number, options: link}
	for i, source := range p.sources {
		data, err := c.compile(source, t.target)
		if err != nil {
			t.leaveOut(mu, p.name, err)
			return
		}
		base.pool = append(base.pool, &member{file: fmt.Sprintf("%s-%d.cubin", p.name, i), data: data})
	}
	h.linkAllWays(t, mu, base, p.name)
}

// leaveOut counts a program that the compiler refuses.
func (t *programTally) leaveOut(mu *sync.Mutex, name string, err error) {
	class := "compiler: " + versus.Pattern(err.Error())
	if refusal := (*refusal)(nil); errors.As(err, &refusal) {
		class = "compiler: " + versus.Pattern(refusal.headline())
	}
	mu.Lock()
	defer mu.Unlock()
	t.leftOut = append(t.leftOut, finding{class: class, folder: name, detail: err.Error()})
}

// linkAllWays links the units of base with its options, in each way that is possible for them.
func (h *hunter) linkAllWays(t *programTally, mu *sync.Mutex, base trial, name string) {
	base.arch = "sm_" + t.target
	for _, m := range base.pool {
		base.order = append(base.order, m.file)
	}
	for _, w := range ways {
		trial := base.clone()
		if !w.apply(trial) {
			continue
		}
		r := h.try(trial)
		if r.finding != nil && r.finding.folder == "" {
			r.finding.folder = name
		}
		mu.Lock()
		t.add(w.name, name, r)
		mu.Unlock()
	}
}

// add counts the result of one link of a program.
func (t *programTally) add(name, program string, r result) {
	w := t.ways[name]
	w.links++
	t.functions.Add(r.functions)
	switch {
	case r.byChoice && r.refused:
		w.lost++
	case r.byChoice:
		w.byChoice++
	case r.finding != nil:
		r.finding.class = name + ": " + r.finding.class
		w.differ = append(w.differ, *r.finding)
	case r.functions.Masked > 0:
		w.masked++
		t.scheduled[program] = append(t.scheduled[program], name)
	case r.exit != 0:
		w.refused++
	default:
		w.same++
	}
}

// differs reports whether a link has a difference that docs/errata.md does not list.
func (t *programTally) differs() bool {
	for _, w := range t.ways {
		if len(w.differ) > 0 {
			return true
		}
	}
	return false
}

// summary prints a line for each way of linking, then the programs of which only a schedule differs, and the classes of differences
// and of omitted programs.
func (t *programTally) summary(w io.Writer) {
	fmt.Fprintf(w, "sm_%s\n", t.target)
	var classes []finding
	for _, way := range ways {
		n := t.ways[way.name]
		if n.links == 0 {
			continue
		}
		fmt.Fprintf(w, "  %-10s %4d links: %4d same, %4d same but for schedules, %4d both refuse, %4d refused for lost relocations (E-345), %4d by choice (docs/errata.md), %4d differ\n",
			way.name, n.links, n.same, n.masked, n.refused, n.lost, n.byChoice, len(n.differ))
		classes = append(classes, n.differ...)
	}
	if t.functions != (codematch.Count{}) {
		fmt.Fprintf(w, "  %s\n", t.functions)
	}
	for _, name := range slices.Sorted(maps.Keys(t.scheduled)) {
		fmt.Fprintf(w, "  schedule: %s (%s)\n", show.Line(name), strings.Join(t.scheduled[name], ", "))
	}
	if t.untried > 0 {
		fmt.Fprintf(w, "  %d were not tried in the time of -for\n", t.untried)
	}
	for _, f := range t.leftOut {
		f.class = "left out: " + f.class
		classes = append(classes, f)
	}
	slices.SortStableFunc(classes, func(a, b finding) int { return cmp.Compare(a.class, b.class) })
	for len(classes) > 0 {
		n := 1
		for n < len(classes) && classes[n].class == classes[0].class {
			n++
		}
		fmt.Fprintf(w, "  %6d  %s\n          %s\n", n, show.Line(classes[0].class), show.Line(classes[0].folder))
		classes = classes[n:]
	}
}

// huntPrograms is the command "cuconform hunt -programs".
func huntPrograms(s *settings, h *hunter, stdout io.Writer) (status int, err error) {
	list, err := readPrograms(s.programs)
	if err != nil {
		return 0, err
	}
	cache := s.cache
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return 0, err
		}
		cache = filepath.Join(cache, "culink", "programs")
	}
	c := &compiler{oracle: h.oracle, args: strings.Fields(s.nvcc), dir: cache}
	return s.eachTarget(h, stdout, func(target string) *programTally {
		return h.runPrograms(target, list, c, strings.Fields(s.link), max(1, s.jobs))
	}), nil
}

// eachTarget links programs for each target of -sm and prints the results.
func (s *settings) eachTarget(h *hunter, stdout io.Writer, run func(target string) *programTally) (status int) {
	for target := range strings.SplitSeq(s.sms, ",") {
		h.end = s.endOfTarget()
		t := run(target)
		t.summary(stdout)
		if s.showsDetail {
			details := slices.Clone(t.leftOut)
			for _, way := range ways {
				details = append(details, t.ways[way.name].differ...)
			}
			for _, f := range details {
				fmt.Fprintf(stdout, "\n== %s: %s\n%s\n", show.Line(f.folder), show.Line(f.class), show.Lines(f.detail))
			}
		}
		if t.differs() {
			status = commandline.Differs
		}
	}
	return status
}
