package main

import (
	"cmp"
	"context"
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
	"github.com/culink/culink/conformance/sandbox"
)

// A check can notice a mutant only if it executes the mutant's statement. So the code that each check executes is
// measured once, with the program of all mutants (package mutant records it). A mutant then runs only on the cases and
// tests that execute it.

// A check is a question or a test.
type check struct {
	seconds  float64
	fails    bool         // without a change
	executes map[int]bool // mutants by number; nil: any
}

// notices reports whether a check may notice a mutant.
func (k check) notices(p *point) bool {
	return !k.fails && (k.executes == nil || p.anywhere || k.executes[p.number])
}

// among returns the checks that may notice a mutant, in order.
func (c *campaign) among(checks []string, p *point) []string {
	return slices.DeleteFunc(slices.Clone(checks), func(id string) bool { return !c.checks[id].notices(p) })
}

// notes returns the path of the file in which a process records the mutants that it executes.
func (c *campaign) notes() string { return filepath.Join(c.temp, "notes") }

// readNotes adds the mutants that processes have recorded since the last call to known.
func (c *campaign) readNotes(known map[int]bool) (map[int]bool, error) {
	data, err := os.ReadFile(c.notes())
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if known == nil {
		known = map[int]bool{}
	}
	for _, word := range strings.Fields(string(data)) {
		var number int
		if _, err := fmt.Sscan(word, &number); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", c.notes(), word, err)
		}
		known[number] = true
	}
	return known, os.RemoveAll(c.notes())
}

// measureCases runs each case alone, to measure it. It does so only if results are stored in a file. Otherwise measuring
// would take longer than the campaign.
func (c *campaign) measureCases(ctx context.Context) error {
	if c.results == "" {
		return nil
	}
	fmt.Printf("measuring what %d cases execute\n", len(c.asked))
	linker := sandbox.Linker{Command: []string{c.program()}, Limits: patientLimits, Env: []string{chosenBy + "=0 " + c.notes()}, Trusted: true}
	var ids []string
	for _, q := range c.asked {
		ids = append(ids, q.id)
	}
	var failed error
	for _, asks := range c.nvlinks {
		start := time.Now()
		_, err := c.ask(ctx, asks, c.units(asks, ids), 1, linker, func(done conformance.Progress, passed bool) {
			id := idOf(done.Case, asks.release)
			k := c.checks[id]
			k.fails = k.fails || !passed
			k.seconds += time.Since(start).Seconds()
			var err error
			k.executes, err = c.readNotes(k.executes)
			failed = errors.Join(failed, err)
			c.checks[id] = k
			start = time.Now()
		})
		if err := cmp.Or(ctx.Err(), err, failed); err != nil {
			return err
		}
	}
	return nil
}

// testID returns the id of a test as a check.
func testID(suite, test string) string { return suite + " " + test }

// A testSuite holds the tests of a package.
type testSuite struct {
	name    string
	program string   // test program with all mutants
	tests   []string // by name
}

// measureLimit is the time limit for all tests of a package without a mutant.
const measureLimit = 5 * time.Minute

// measureSuite builds the tests of a package with all mutants. The first call for a package also runs each test alone,
// to measure it.
func (c *campaign) measureSuite(ctx context.Context, name string) (*testSuite, error) {
	if s := c.suites[name]; s != nil {
		return s, nil
	}
	fmt.Printf("measuring what the tests of %s execute\n", name)
	s := &testSuite{name: name, program: filepath.Join(c.temp, strings.ReplaceAll(name, "/", "+")+".test")}
	if err := c.buildSuite(ctx, name, s.program, c.together()); err != nil {
		return nil, err
	}
	out, err := c.testProgram(ctx, s, s.program, c.together(), measureLimit, "-test.list=.").Output()
	if err != nil {
		return nil, fmt.Errorf("tests of %s: %w", name, err)
	}
	s.tests = strings.Fields(string(out))
	if err := c.choose(0, c.notes()); err != nil {
		return nil, err
	}
	for _, test := range s.tests {
		start := time.Now()
		err := c.testProgram(ctx, s, s.program, c.together(), measureLimit, "-test.run=^"+test+"$").Run()
		k := check{seconds: time.Since(start).Seconds(), fails: err != nil}
		if k.executes, err = c.readNotes(nil); err != nil {
			return nil, err
		}
		c.checks[testID(name, test)] = k
	}
	c.suites[name] = s
	return s, ctx.Err()
}

// buildSuite builds the tests of a package with an overlay.
func (c *campaign) buildSuite(ctx context.Context, name, program, overlay string) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-trimpath", "-buildvcs=false", "-overlay="+overlay, "-o", program, "./"+name)
	cmd.Dir = c.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c %s: %w\n%s", name, err, out)
	}
	return nil
}

// testProgram returns a command that runs the tests of a package with a time limit. A go command that a test starts uses
// the same overlay.
func (c *campaign) testProgram(ctx context.Context, s *testSuite, program, overlay string, limit time.Duration, flags ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, append([]string{"-test.failfast", "-test.timeout=" + limit.String()}, flags...)...)
	cmd.Dir = filepath.Join(c.root, filepath.FromSlash(s.name))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CULINK_ORACLE=") })
	cmd.Env = append(cmd.Env, strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay))
	return cmd
}

// choose selects the mutant for test processes, and the file for their notes. If notes is "", they write none.
func (c *campaign) choose(number int, notes string) error {
	return os.WriteFile(c.choice(), fmt.Appendf(nil, "%d %s", number, notes), 0o666)
}

// slowest is the maximum duration of a test that is used, in seconds. If only a slower test notices a mutant, the mutant
// counts as a survivor.
const slowest = 60

// testsFor returns the tests of a package that may notice a mutant, and their total time in seconds. If the mutant is in
// the same package and outside functions, all tests may: they can refer directly to the declaration.
func (c *campaign) testsFor(s *testSuite, p *point) (tests []string, seconds float64) {
	mayName := p.isAlone() && s.name == path.Dir(p.File)
	for _, test := range s.tests {
		if k := c.checks[testID(s.name, test)]; (k.notices(p) || mayName && !k.fails) && k.seconds <= slowest {
			tests = append(tests, test)
			seconds += k.seconds
		}
	}
	return tests, seconds
}

// runTests returns the first package with a failing test. The tests of the mutant's own package run first, because they
// kill most mutants. Tests of other packages are measured and run only if the mutant survives, because measuring takes
// long.
func (c *campaign) runTests(ctx context.Context, p *point) (killer string, err error) {
	own := path.Dir(p.File)
	names := slices.DeleteFunc(slices.Clone(c.tested), func(name string) bool { return name == own })
	if len(names) < len(c.tested) {
		if failed, err := c.runSuite(ctx, own, p); failed || err != nil {
			return own, err
		}
	}
	seconds := map[string]float64{}
	for _, name := range names {
		s, err := c.measureSuite(ctx, name)
		if err != nil {
			return "", err
		}
		_, seconds[name] = c.testsFor(s, p)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(seconds[a], seconds[b]) })
	for _, name := range names {
		if failed, err := c.runSuite(ctx, name, p); failed || err != nil {
			return name, err
		}
	}
	return "", nil
}

// runSuite reports whether a test of a package fails twice.
func (c *campaign) runSuite(ctx context.Context, name string, p *point) (failed bool, err error) {
	s, err := c.measureSuite(ctx, name)
	if err != nil {
		return false, err
	}
	tests, _ := c.testsFor(s, p)
	if len(tests) == 0 {
		return false, nil
	}
	program, overlay := s.program, c.together()
	if p.isAlone() {
		program, overlay = filepath.Join(c.temp, "alone.test"), c.alone()
		err := c.buildSuite(ctx, name, program, overlay)
		var failed *exec.ExitError
		if errors.As(err, &failed) && ctx.Err() == nil {
			return true, nil // the test does not compile, for example because of a duplicate constant in a switch
		} else if err != nil {
			return false, err
		}
	}
	if err := c.choose(p.number, ""); err != nil {
		return false, err
	}
	limit := 30.0 // limit in seconds for a mutant that hangs: many times the usual time
	for _, test := range tests {
		limit += 10 * c.checks[testID(name, test)].seconds
	}
	for range 2 {
		err := c.testProgram(ctx, s, program, overlay, time.Duration(limit*float64(time.Second)), "-test.run=^("+strings.Join(tests, "|")+")$").Run()
		var exit *exec.ExitError
		if ctx.Err() != nil || !errors.As(err, &exit) {
			return false, cmp.Or(ctx.Err(), err)
		}
	}
	return true, nil
}
