package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/corpus"
)

// equivalents is the text of equivalent.txt: the survivors that behave like the original, with the reasons.
//
//go:embed equivalent.txt
var equivalents string

// own is the text of own.txt: the packages and files with features that only culink has. No case can notice their
// mutants.
//
//go:embed own.txt
var own string

// A campaign holds the flags and the state of a run.
type campaign struct {
	number   int
	seed     string
	packages string
	results  string
	table    string
	tests    bool
	again    bool
	jobs     int

	root    string            // root folder of the module
	known   map[string]string // equivalent mutants, with the reasons
	own     map[string]string // packages, files and calls from own.txt, with the reasons
	record  *record
	asked   []question
	nvlinks []nvlink // that the questions are about
	tested  []string // packages whose tests check the linker
	waivers []plan.Waiver
	users   *users
	checks  map[string]check      // checks by the id of a question or a test
	suites  map[string]*testSuite // measured suites, by package
	killers map[string][]string   // cases that have killed mutants, by package
	temp    string
}

// least is the minimum number of mutants of each package in a sample.
const least = 10

// run runs the mutants that have no result yet, and prints the table of all.
func (c *campaign) run(ctx context.Context, list bool) error {
	all, err := c.find(ctx)
	if err != nil {
		return err
	}
	chosen := sample(all, c.number, c.seed)
	if list {
		for _, p := range chosen {
			fmt.Println(p)
		}
		return nil
	}
	number := len(chosen)
	if err := c.prepare(ctx, all); err != nil {
		return err
	}
	defer os.RemoveAll(c.temp)
	for _, p := range all { // earlier samples left some open
		if old, known := c.record.by[p.Key()]; known && c.open(p, old) && !slices.Contains(chosen, p) {
			chosen = append(chosen, p)
		}
	}
	stopped := c.runAll(ctx, chosen)
	if stopped != nil && ctx.Err() == nil {
		return stopped
	}
	ran := 0
	for _, p := range chosen[:number] {
		if _, known := c.record.by[p.Key()]; known {
			ran++
		}
	}
	sample := fmt.Sprintf("These are %d of the %d mutants that the seed %q chooses, and those of samples before.", ran, number, c.seed)
	page := writeTable(sample, all, func(p *point) (result, bool) {
		r, ran := c.record.by[p.Key()]
		if c.known[p.Key()] != "" {
			r.Outcome = equivalent
		}
		r.Beyond = r.Beyond || c.isOwn(p)
		return r, ran
	})
	fmt.Print(page)
	if c.table != "" {
		if err := os.WriteFile(c.table, []byte(page), 0o666); err != nil {
			return err
		}
	}
	return stopped
}

// isOwn reports whether no case can notice a mutant, because its package, its file, or the removed call is a feature
// that only culink has.
func (c *campaign) isOwn(p *point) bool {
	names := []string{path.Dir(p.File), p.File}
	if name, _, isCall := strings.Cut(p.From, "("); isCall && p.To == "" {
		names = append(names, name[strings.LastIndexByte(name, '.')+1:]+"()")
	}
	return slices.ContainsFunc(names, func(name string) bool { return c.own[name] != "" })
}

// find returns the points of every package of the linker that culink uses.
func (c *campaign) find(ctx context.Context) ([]*point, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	c.root = strings.TrimSpace(string(out))
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}\n{{end}}{{end}}{{end}}", "./cmd/culink")
	list.Dir = c.root
	if out, err = list.Output(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var points []*point
	c.users = newUsers()
	for name := range strings.FieldsSeq(string(out)) {
		relative, err := filepath.Rel(c.root, name)
		if err != nil {
			return nil, err
		}
		relative = filepath.ToSlash(relative)
		if !strings.HasPrefix(relative, "linker/") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := pointsOf(relative, source, c.users)
		if err != nil {
			return nil, err
		}
		if c.wants(path.Dir(relative)) {
			points = append(points, found...)
		}
	}
	return points, nil
}

// wants reports whether a package was requested.
func (c *campaign) wants(name string) bool {
	names := splitList(c.packages)
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(name, n) })
}

// sample chooses points by a seed. It takes some points of each package, and others at random. Whether a point is chosen
// does not depend on the other points, so samples with one seed stay similar when the source changes.
func sample(all []*point, n int, seed string) []*point {
	ranks := make(map[*point]string, len(all))
	for _, p := range all {
		sum := sha256.Sum256([]byte(seed + "\x00" + p.Key())) // a weak hash selects neighbours together
		ranks[p] = string(sum[:])
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(p, q *point) int { return cmp.Compare(ranks[p], ranks[q]) })
	packages := map[string]bool{}
	for _, p := range all {
		packages[path.Dir(p.File)] = true
	}
	first := min(least, n/max(len(packages), 1))
	taken := map[string]int{}
	chosen := map[*point]bool{}
	for _, p := range sorted {
		if name := path.Dir(p.File); taken[name] < first {
			taken[name]++
			chosen[p] = true
		}
	}
	for _, p := range sorted {
		if len(chosen) >= n {
			break
		}
		chosen[p] = true
	}
	return slices.DeleteFunc(sorted, func(p *point) bool { return !chosen[p] })
}

// prepare reads the stored facts about mutants and checks.
func (c *campaign) prepare(ctx context.Context, all []*point) (err error) {
	if c.known, err = parseReasons("equivalent.txt", equivalents); err != nil {
		return err
	}
	if c.own, err = parseReasons("own.txt", own); err != nil {
		return err
	}
	if c.record, err = openRecord(c.results); err != nil {
		return err
	}
	if err = c.listQuestions(); err != nil {
		return err
	}
	if c.waivers, err = plan.LoadWaivers(corpus.Files, nil); err != nil {
		return err
	}
	c.killers = map[string][]string{}
	for _, p := range all {
		if r := c.record.by[p.Key()]; r.Outcome == byCorpus {
			c.notice(p, r.Killer)
		}
	}
	if c.temp, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	c.checks, c.suites = map[string]check{}, map[string]*testSuite{}
	c.tested, err = c.listTested(ctx)
	return err
}

// module is the path prefix of all packages.
const module = "github.com/culink/culink/"

// listTested returns the packages whose tests check the linker. It omits the packages of the harness, because their
// tests link the corpus again and take minutes.
func (c *campaign) listTested(ctx context.Context) ([]string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}",
		"./linker/...", "./testscripts", "./cmd/culink/...", "./conformance/sound", "./conformance/diff", "./conformance/reduce", "./fuzz")
	list.Dir = c.root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(strings.ReplaceAll(string(out), module, "")), nil
}

// runAll runs the chosen mutants whose results are unknown.
func (c *campaign) runAll(ctx context.Context, chosen []*point) error {
	var todo []*point
	for _, p := range chosen {
		if old, known := c.record.by[p.Key()]; !known || c.open(p, old) {
			todo = append(todo, p)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	// Mutants that are built separately come last, because each takes minutes.
	together := slices.DeleteFunc(slices.Clone(todo), (*point).isAlone)
	todo = append(together, slices.DeleteFunc(todo, func(p *point) bool { return !p.isAlone() })...)
	for i, p := range todo {
		p.number = i + 1
	}
	invalids, err := c.buildTogether(ctx, todo)
	if err != nil {
		return err
	}
	if err := c.measureCases(ctx); err != nil {
		return err
	}
	asked := slices.DeleteFunc(slices.Clone(todo), func(p *point) bool { return c.record.by[p.Key()].Outcome != "" && !c.again })
	err = c.each(ctx, asked, func(p *point, old result) (result, error) {
		if invalids[p.number] {
			return result{Outcome: invalid}, nil
		}
		return c.judgeByCorpus(ctx, p, old)
	})
	if err != nil || !c.tests {
		return err
	}
	open := slices.DeleteFunc(todo, func(p *point) bool { return c.record.by[p.Key()].Outcome != unnoticed })
	return c.each(ctx, open, func(p *point, old result) (result, error) { return c.judgeByTests(ctx, p, old) })
}

// each calls judge for each mutant and stores the results. A mutant may have an earlier result.
func (c *campaign) each(ctx context.Context, mutants []*point, judge func(p *point, old result) (result, error)) error {
	for i, p := range mutants {
		start := time.Now()
		r, err := judge(p, c.record.by[p.Key()])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		r.Key, r.Took = p.Key(), time.Since(start).Seconds()
		if err := c.record.add(r); err != nil {
			return err
		}
		if r.Outcome == byCorpus {
			c.notice(p, r.Killer)
		}
		fmt.Printf("%d of %d: %-9s %s %s (%.0f s)\n", i+1, len(mutants), r.Outcome, p, r.Killer, r.Took)
	}
	return nil
}

// open reports whether a mutant with this result must run again.
func (c *campaign) open(p *point, old result) bool {
	switch {
	case c.known[p.Key()] != "":
		return false
	case old.Outcome == unnoticed:
		return c.tests || c.again
	}
	return c.again && (old.Outcome == survived || old.Outcome == byTests)
}

// notice records the case that noticed a mutant. For other mutants of the package, this case is tried first. The latest
// such case comes before earlier ones.
func (c *campaign) notice(p *point, killer string) {
	name := path.Dir(p.File)
	list := slices.DeleteFunc(c.killers[name], func(k string) bool { return k == killer })
	c.killers[name] = slices.Insert(list, 0, killer)
}

// judgeByCorpus runs the cases on a mutant. It keeps a known result of the tests.
func (c *campaign) judgeByCorpus(ctx context.Context, p *point, old result) (result, error) {
	program := c.program()
	if p.isAlone() {
		program = filepath.Join(c.temp, "alone", "nvlink")
		err := c.writeAlone(p)
		if err == nil {
			err = c.build(ctx, program, "-overlay", c.alone())
		}
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return result{Outcome: invalid}, nil
		} else if err != nil {
			return result{}, err
		}
	}
	cases := c.order(p)
	r := result{Outcome: unnoticed, Beyond: len(cases) == 0}
	killer, err := c.runCorpus(ctx, program, p, cases)
	switch {
	case killer != "":
		r.Outcome, r.Killer = byCorpus, killer
	case old.Outcome == byTests:
		r.Outcome, r.Killer = byTests, old.Killer
	}
	return r, err
}

// judgeByTests runs the tests on a mutant that no case notices.
func (c *campaign) judgeByTests(ctx context.Context, p *point, old result) (result, error) {
	if p.isAlone() {
		if err := c.writeAlone(p); err != nil {
			return result{}, err
		}
	}
	killer, err := c.runTests(ctx, p)
	if killer == "" {
		return result{Outcome: survived, Beyond: old.Beyond}, err
	}
	return result{Outcome: byTests, Killer: killer, Beyond: old.Beyond}, err
}

// mutantLimits stop a mutant that hangs or uses too much memory.
var mutantLimits = sandbox.Limits{Time: 5 * time.Second, Memory: 4 << 30, File: 1 << 28, Output: 1 << 20}

// patientLimits are for a second run, which is needed if the machine was busy.
var patientLimits = sandbox.Limits{Time: 10 * time.Second, Memory: 4 << 30, File: 1 << 28, Output: 1 << 20}

// runCorpus returns the first of the cases that fails twice. It runs them in groups of growing size.
func (c *campaign) runCorpus(ctx context.Context, program string, p *point, cases []string) (killer string, err error) {
	linker := sandbox.Linker{Command: []string{program}, Env: []string{fmt.Sprintf("%s=%d", chosenBy, p.number)}, Limits: mutantLimits}
	patient := linker
	patient.Limits = patientLimits
	idle := slices.Clone(c.waivers)
	for rest, size := cases, 8; len(rest) > 0; {
		n := min(size, len(rest))
		killer, unused, err := c.runCases(ctx, linker, rest[:n])
		if err != nil {
			return "", err
		}
		if killer != "" {
			again, _, err := c.runCases(ctx, patient, []string{killer})
			if err != nil || again != "" {
				return again, err
			}
			rest = slices.DeleteFunc(slices.Clone(rest), func(id string) bool { return id == killer })
			continue
		}
		rest, size = rest[n:], 4*size
		idle = slices.DeleteFunc(idle, func(w plan.Waiver) bool { return !slices.Contains(unused, w) })
	}
	for _, w := range idle {
		if c.judgesWaiver(w, cases) {
			return fmt.Sprintf("waivers.txt:%d", w.Line), nil
		}
	}
	return "", nil
}

// order returns the questions that can notice a mutant. Questions that noticed other mutants of its package come first.
// Then come questions in areas with the name of its package or file, the fastest first. Questions about other releases
// come last.
func (c *campaign) order(p *point) []string {
	const likely = 12
	killers := c.killers[path.Dir(p.File)]
	ranks := map[string]int{}
	var ids []string
	for _, q := range c.asked {
		rank := slices.Index(killers[:min(likely, len(killers))], q.id)
		switch {
		case rank >= 0:
		case q.asks.release != nil:
			rank = likely + 2
		case strings.Contains(p.File, q.of.Area):
			rank = likely
		default:
			rank = likely + 1
		}
		ids = append(ids, q.id)
		ranks[q.id] = rank
	}
	ids = c.among(ids, p)
	slices.SortStableFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(c.checks[a].seconds, c.checks[b].seconds))
	})
	return ids
}

// judgesWaiver reports whether all cases that a waiver matches were run. If so, one of them should have needed the
// waiver.
func (c *campaign) judgesWaiver(w plan.Waiver, ran []string) bool {
	named := plan.Selection{Cases: []string{w.Case}}
	for _, q := range c.asked {
		selects := func(sm string) bool { return named.Selects(q.of, sm) }
		if q.asks.release == nil && slices.ContainsFunc(q.targets, selects) && !slices.Contains(ran, q.id) {
			return false
		}
	}
	return slices.Contains(decisive, w.Facet)
}

// runCases returns the first of the questions with a wrong answer, or "" if there is none. It also returns the waivers
// that were not needed.
func (c *campaign) runCases(ctx context.Context, linker sandbox.Linker, ids []string) (killer string, unused []plan.Waiver, err error) {
	unused = c.waivers
	for _, asks := range c.nvlinks {
		only := c.units(asks, ids)
		if len(only) == 0 {
			continue
		}
		inner, cancel := context.WithCancel(ctx)
		report, err := c.ask(inner, asks, only, c.jobs, linker, func(done conformance.Progress, passed bool) {
			if killer == "" && !passed {
				killer = idOf(done.Case, asks.release)
				cancel()
			}
		})
		cancel()
		if killer != "" {
			return killer, nil, nil
		}
		if err != nil {
			return "", nil, err
		}
		if asks.release == nil {
			unused = slices.DeleteFunc(slices.Clone(unused), func(w plan.Waiver) bool { return !slices.Contains(report.Unused, w) })
		}
	}
	return "", unused, nil
}
