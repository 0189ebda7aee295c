package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/corpus"
)

// A check that does not execute a line cannot notice that it has changed. What each check
// executes is measured once, by the go command's coverage, and kept beside the results: a mutant
// is then asked only about the cases, and the tests, that execute its block of source.

// A place in a file is a line and a column.
type place [2]int

func (p place) before(q place) bool { return slices.Compare(p[:], q[:]) < 0 }

// A block of source is executed as a whole.
type block struct {
	File     string
	From, To place
}

// A check is a question, a package of tests, or a test.
type check struct {
	Hash     string // of the files that it consists of; "" of a test
	Seconds  float64
	Executes []byte   `json:",omitempty"` // a bit for each block; nil: it may execute any
	Fails    bool     `json:",omitempty"` // without a change
	Tests    []string `json:",omitempty"` // of a package
}

// coverage is what is known of all checks. Of a check that it does not know, and of a block that it
// does not have, it says the worst.
type coverage struct {
	Source string // a hash of the measured source: of another one the blocks are others
	Blocks []block
	Checks map[string]check // by the id of a question, the path of a package, or both path and name of a test

	name  string // of the file
	index map[string]int
}

// openCoverage reads what was measured of this source; "" is kept in memory alone.
func openCoverage(name, source string) (*coverage, error) {
	v := &coverage{name: name}
	if name != "" {
		data, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, v)
		}
		if err != nil && !os.IsNotExist(err) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if v.Source != source {
		v.Source, v.Blocks, v.Checks = source, nil, nil
	}
	if v.Checks == nil {
		v.Checks = map[string]check{}
	}
	v.index = map[string]int{}
	for i, b := range v.Blocks {
		v.index[b.String()] = i
	}
	return v, nil
}

func (b block) String() string {
	return fmt.Sprintf("%s:%d.%d,%d.%d", b.File, b.From[0], b.From[1], b.To[0], b.To[1])
}

func (v *coverage) save() error {
	data, err := json.Marshal(v)
	if err != nil || v.name == "" {
		return err
	}
	return os.WriteFile(v.name, data, 0o666)
}

// blockOf is the number of the smallest block around a point. What stands between the blocks of a
// function, as the expressions of a case do, has its first one; -1 is none.
func (v *coverage) blockOf(p *point) int {
	at, around := place{p.Line, p.Column}, -1
	for i, b := range v.Blocks {
		if b.File == p.File && !at.before(b.From) && at.before(b.To) && (around < 0 || v.Blocks[around].From.before(b.From)) {
			around = i
		}
	}
	if around < 0 && p.begins > 0 {
		return v.firstOf(use{p.File, p.begins})
	}
	return around
}

// firstOf is the number of the first block of a function; -1 is none.
func (v *coverage) firstOf(function use) int {
	begins, first := place{function.line, 0}, -1
	for i, b := range v.Blocks {
		if b.File == function.file && begins.before(b.From) && (first < 0 || b.From.before(v.Blocks[first].From)) {
			first = i
		}
	}
	return first
}

// blocksOf are the numbers of the blocks of which one is executed where a change can be noticed.
func (v *coverage) blocksOf(p *point, u *users) (blocks []int) {
	if i := v.blockOf(p); i >= 0 || p.begins > 0 {
		return []int{i}
	}
	for _, function := range u.of(p.declares) {
		blocks = append(blocks, v.firstOf(function))
	}
	return blocks
}

// notices reports whether a check can notice a change of one of these blocks; -1 is any.
func (k check) notices(blocks []int) bool {
	executed := func(i int) bool {
		return i < 0 || i/8 < len(k.Executes) && k.Executes[i/8]>>(i%8)&1 != 0
	}
	return !k.Fails && (k.Executes == nil || len(blocks) == 0 || slices.ContainsFunc(blocks, executed))
}

// among are those checks that can notice a mutant, in their order.
func (v *coverage) among(checks []string, p *point, u *users) []string {
	blocks := v.blocksOf(p, u)
	return slices.DeleteFunc(slices.Clone(checks), func(name string) bool { return !v.Checks[name].notices(blocks) })
}

// note keeps what a check executes: its profile, as the go command writes it.
func (v *coverage) note(name string, k check, profile []byte) error {
	k.Executes = []byte{}
	for line := range bytes.Lines(profile) {
		words := strings.Fields(strings.TrimPrefix(string(line), module))
		if len(words) != 3 || words[0] == "mode:" {
			continue
		}
		i, ok := v.index[words[0]]
		if !ok {
			var err error
			if i, err = v.addBlock(words[0]); err != nil {
				return err
			}
		}
		if words[2] != "0" {
			k.Executes = append(k.Executes, make([]byte, max(0, i/8+1-len(k.Executes)))...)
			k.Executes[i/8] |= 1 << (i % 8)
		}
	}
	v.Checks[name] = k
	return nil
}

func (v *coverage) addBlock(text string) (int, error) {
	var b block
	file, span, _ := strings.Cut(text, ":")
	b.File = file
	if _, err := fmt.Sscanf(span, "%d.%d,%d.%d", &b.From[0], &b.From[1], &b.To[0], &b.To[1]); err != nil {
		return 0, fmt.Errorf("block %q: %w", text, err)
	}
	v.index[text] = len(v.Blocks)
	v.Blocks = append(v.Blocks, b)
	return v.index[text], nil
}

// hashTree is a hash of the files below a folder that are chosen.
func hashTree(files fs.FS, root string, chosen func(name string) bool) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !chosen(name) {
			return err
		}
		data, err := fs.ReadFile(files, name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// measure reads what is known of the checks, and measures the other cases.
func (c *campaign) measure(ctx context.Context) error {
	source, err := hashTree(os.DirFS(c.root), "linker", func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	})
	if err != nil {
		return err
	}
	name := c.results
	if name != "" {
		name += ".coverage"
	}
	if c.coverage, err = openCoverage(name, source); err != nil || name == "" {
		return err // measuring takes longer than a campaign that nobody continues
	}
	return c.measureCases(ctx)
}

// measured are the flags of the go command by which a program notes what it executes of the linker.
// A program writes what it has noted only when its main package does too.
var measured = []string{"-covermode=set", "-coverpkg=./cmd/culink,./linker/..."}

// saveEvery is after how many cases what was measured is kept, for a campaign that is stopped.
const saveEvery = 64

// measureCases runs culink on each case alone.
func (c *campaign) measureCases(ctx context.Context) error {
	checks, last := map[string]check{}, map[string]string{}
	var missing []string
	for _, q := range c.asked {
		hash, err := hashTree(corpus.Files, q.of.ID(), func(string) bool { return true })
		if err != nil {
			return err
		}
		checks[q.id], last[q.id] = check{Hash: hash}, q.targets[len(q.targets)-1]
		if c.coverage.Checks[q.id].Hash != hash {
			missing = append(missing, q.id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	fmt.Printf("measuring what %d cases execute\n", len(missing))
	if err := c.build(ctx, append([]string{"-cover"}, measured...)...); err != nil {
		return err
	}
	counters := filepath.Join(c.temp, "counters")
	if err := os.Mkdir(counters, 0o777); err != nil {
		return err
	}
	tool, err := exec.CommandContext(ctx, "go", "tool", "-n", "covdata").Output()
	if err != nil {
		return fmt.Errorf("go tool covdata: %w", err)
	}
	covdata := strings.TrimSpace(string(tool))
	var failed error
	linker := conformance.Linker{Limits: mutantLimits, Env: []string{"GOCOVERDIR=" + counters}, Trusted: true}
	for _, release := range c.releases {
		start := time.Now()
		_, err := c.ask(ctx, release, c.units(release, missing), 1, linker, func(done conformance.Progress, passed bool) {
			id := idOf(done.Case, release)
			k := checks[id]
			k.Fails = k.Fails || !passed
			if checks[id] = k; ctx.Err() == nil && done.SM == last[id] {
				k.Seconds = time.Since(start).Seconds()
				failed = errors.Join(failed, c.noteCounters(ctx, covdata, counters, id, k))
				if start = time.Now(); len(c.coverage.Checks)%saveEvery == 0 {
					failed = errors.Join(failed, c.coverage.save())
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return cmp.Or(ctx.Err(), failed, c.coverage.save())
}

// noteCounters keeps what the links of a case have noted in a folder, and takes their counters away.
// Links that died have noted nothing: they may execute anything.
func (c *campaign) noteCounters(ctx context.Context, covdata, counters, name string, k check) error {
	files, err := filepath.Glob(filepath.Join(counters, "covcounters.*"))
	if err != nil || len(files) == 0 {
		c.coverage.Checks[name] = k
		return err
	}
	profile := filepath.Join(c.temp, "profile")
	if out, err := exec.CommandContext(ctx, covdata, "textfmt", "-i="+counters, "-o="+profile).CombinedOutput(); err != nil {
		return fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(profile)
	if err != nil {
		return err
	}
	return c.coverage.note(name, k, data)
}

// measureTests runs each test of the packages alone that are not known, if results are kept. What a test executes
// in another process is not seen: that is culink on cases of the corpus, which were asked before, and
// on the scenarios, which may execute anything.
func (c *campaign) measureTests(ctx context.Context) error {
	if c.results == "" {
		return nil
	}
	for _, name := range c.suites {
		hash, err := hashTree(os.DirFS(c.root), name, func(file string) bool { // not those of packages below it
			below := strings.TrimPrefix(file, name+"/")
			return !strings.Contains(below, "/") || strings.HasPrefix(below, "testdata/")
		})
		if err != nil {
			return err
		}
		if c.coverage.Checks[name].Hash == hash {
			continue
		}
		fmt.Printf("measuring what the tests of %s execute\n", name)
		start := time.Now()
		tests, err := c.measureSuite(ctx, name)
		if err != nil {
			return err
		}
		c.coverage.Checks[name] = check{Hash: hash, Seconds: time.Since(start).Seconds(), Tests: tests}
		if err := cmp.Or(ctx.Err(), c.coverage.save()); err != nil {
			return err
		}
	}
	return nil
}

// testID names a test among the checks.
func testID(suite, test string) string { return suite + " " + test }

// measureSuite runs each test of a package alone, and lists them.
func (c *campaign) measureSuite(ctx context.Context, name string) ([]string, error) {
	program := filepath.Join(c.temp, "suite.test")
	build := c.goTest(ctx, "", slices.Concat([]string{"-c", "-o", program}, measured, []string{"./" + name})...)
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go test -c %s: %w", name, err)
	}
	run := func(flags ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, append(flags, "-test.timeout=120s")...)
		cmd.Dir, cmd.Env = filepath.Join(c.root, filepath.FromSlash(name)), build.Env
		return cmd
	}
	out, err := run("-test.list=.").Output()
	if err != nil {
		return nil, fmt.Errorf("tests of %s: %w", name, err)
	}
	tests := strings.Fields(string(out))
	for _, test := range tests {
		profile := filepath.Join(c.temp, "profile")
		start := time.Now()
		err := run("-test.run=^"+test+"$", "-test.coverprofile="+profile).Run()
		k := check{Seconds: time.Since(start).Seconds()}
		data, unread := os.ReadFile(profile)
		if err != nil { // for being measured, or also without that
			k.Fails = c.goTest(ctx, "", "-run=^"+test+"$", "./"+name).Run() != nil
		}
		if err != nil || unread != nil || name == scenarios {
			c.coverage.Checks[testID(name, test)] = k
		} else if err := c.coverage.note(testID(name, test), k, data); err != nil {
			return nil, err
		}
	}
	return tests, ctx.Err()
}
