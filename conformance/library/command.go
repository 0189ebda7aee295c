package library

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/input"
)

// Asked reports whether a command line of cuconform is about a library: run or record with
// -library.
func Asked(args []string) bool {
	if len(args) == 0 || args[0] != "run" && args[0] != "record" {
		return false
	}
	_, _, ok := cutLibrary(args)
	return ok
}

// cutLibrary takes -library and its value out of a command line.
func cutLibrary(args []string) (path string, rest []string, ok bool) {
	for i, a := range args {
		name, value, joined := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch {
		case !strings.HasPrefix(a, "-") || name != "library":
		case joined:
			return value, slices.Delete(slices.Clone(args), i, i+1), true
		case i+1 < len(args):
			return args[i+1], slices.Delete(slices.Clone(args), i, i+2), true
		}
	}
	return "", args, false
}

// HuntArguments turns cuconform hunt -library FILE into a hunt with the library as the linker, by its
// image alone, without options that a library lacks; other command lines stay as they are. remove
// deletes what was built for it.
func HuntArguments(ctx context.Context, args []string) (hunt []string, remove func(), err error) {
	path, rest, ok := cutLibrary(args)
	if !ok || args[0] != "hunt" {
		return args, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "cuconform-library-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	driver, err := (&commandLine{}).findDriver(ctx, dir)
	if err != nil {
		remove()
		return nil, nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		remove()
		return nil, nil, err
	}
	return append([]string{"hunt", "-linker", driver[0] + " " + path, "-image", "-options", "none"}, rest[1:]...), remove, nil
}

// A commandLine is what run and record are asked for.
type commandLine struct {
	library, driver, cases, has, waivers string
	run                                  []string
	stream, check                        bool
	threads                              int
	time                                 time.Duration
}

// Command does cuconform run -library and cuconform record -library. Status 0: all answers are
// right, or recorded; 1: some are wrong, or have changed; 2 with the error: nothing can be said.
func Command(ctx context.Context, args []string, stdout, stderr io.Writer) (status int, err error) {
	line := &commandLine{}
	flags := flag.NewFlagSet("cuconform "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&line.library, "library", "", "judge, or record, this libnvJitLink, a `FILE`")
	flags.StringVar(&line.driver, "driver", "", "a `COMMAND` that plays calls on a library (default: nvjitlink -calls, beside this program, or built now)")
	flags.StringVar(&line.cases, "cases", "", "cases and their inputs are in this `FOLDER` (default: the built-in ones; for record: conformance/library/recorded)")
	flags.StringVar(&line.has, "has", "", "a `LIST` of what the library has beside a C interface: ptxas, compiler (default: ptxas, where it is found)")
	flags.Func("run", "only cases that match this `GLOB` (repeatable)", func(glob string) error {
		line.run = append(line.run, glob)
		return conformance.CheckGlob(glob)
	})
	flags.DurationVar(&line.time, "timeout", conformance.DefaultLimits.Time, "most `TIME` for one case, and for all threads")
	if args[0] == "run" {
		flags.StringVar(&line.waivers, "waivers", "", "a `FILE` of images that are known to differ; culink: those of culink's library")
		flags.BoolVar(&line.stream, "stream", false, "play all cases in one process, not each in its own")
		flags.IntVar(&line.threads, "threads", 0, "play all cases on so many threads of one process, a `NUMBER`")
	} else {
		flags.BoolVar(&line.check, "check", false, "write nothing; fail when an answer has changed")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 0, err
	}
	if flags.NArg() > 0 {
		return 0, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if line.library, err = filepath.Abs(line.library); err != nil {
		return 0, err
	}
	if _, err := os.Stat(line.library); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "cuconform-library-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	driver, err := line.findDriver(ctx, dir)
	if err != nil {
		return 0, err
	}
	inputs := filepath.Join(dir, "inputs")
	child := &Child{Driver: driver, Path: line.library, Dir: inputs, Time: line.time, Stream: line.stream}
	defer child.Close()
	if args[0] == "record" {
		return line.record(ctx, child, stdout)
	}
	return line.judge(ctx, child, stdout)
}

// folder is where the cases are.
func (l *commandLine) folder() fs.FS {
	if l.cases == "" {
		return Recorded
	}
	return os.DirFS(l.cases)
}

// chosen are the cases that the command line names, with their inputs written for the child.
func (l *commandLine) chosen(child *Child, files fs.FS, cases []*Case) ([]*Case, error) {
	cases = slices.DeleteFunc(cases, func(c *Case) bool {
		return len(l.run) > 0 && !slices.ContainsFunc(l.run, func(glob string) bool { return matches(glob, c.Name) })
	})
	if len(cases) == 0 {
		return nil, errors.New("nothing is selected")
	}
	if err := os.MkdirAll(child.Dir, 0o777); err != nil {
		return nil, err
	}
	return cases, WriteInputs(child.Dir, cases, files, corpus.Files)
}

// matches reports whether a glob is that of a case, or of the first parts of its name.
func matches(glob, name string) bool {
	for part := name; part != "."; part = path.Dir(part) {
		if ok, _ := path.Match(glob, part); ok {
			return true
		}
	}
	return false
}

// needs are what is there for cases that need it.
func (l *commandLine) needs() []Need {
	has := []Need{NeedsC}
	switch {
	case l.has == "" && input.FindPTXAS("") != "":
		has = append(has, NeedsPTXAS)
	case l.has != "":
		for _, word := range strings.Split(l.has, ",") {
			has = append(has, Need(word))
		}
	}
	return has
}

// judge plays the cases and prints what came of it.
func (l *commandLine) judge(ctx context.Context, child *Child, stdout io.Writer) (int, error) {
	files := l.folder()
	cases, err := Load(files)
	if err == nil {
		cases, err = l.chosen(child, files, cases)
	}
	if err != nil {
		return 0, err
	}
	var report *Report
	began := time.Now()
	if l.threads > 0 {
		report, err = l.judgeThreads(ctx, child, cases)
	} else {
		report, err = Run(ctx, cases, child, l.needs())
	}
	if err != nil {
		return 0, err
	}
	waivers, err := l.loadWaivers()
	if err != nil {
		return 0, err
	}
	report.Waive(waivers)
	if err := report.Write(stdout); err != nil {
		return 0, err
	}
	took := time.Since(began)
	fmt.Fprintf(stdout, "%d calls in %.1f s\n", report.Calls(), took.Seconds())
	if report.Failed() {
		return 1, nil
	}
	return 0, nil
}

// loadWaivers are those that the command line names.
func (l *commandLine) loadWaivers() ([]Waiver, error) {
	switch l.waivers {
	case "":
		return nil, nil
	case "culink":
		return OwnWaivers()
	}
	text, err := os.ReadFile(l.waivers)
	if err != nil {
		return nil, err
	}
	return ParseWaivers(string(text))
}

// OwnWaivers are those of culink's library.
func OwnWaivers() ([]Waiver, error) {
	text, err := fs.ReadFile(Recorded, "waivers")
	if err != nil {
		return nil, err
	}
	return ParseWaivers(string(text))
}

// judgeThreads plays the cases on many threads at once. Those in which the real library crashes,
// and those that read files by relative names alone, are fit for that too: a thread has no state.
func (l *commandLine) judgeThreads(ctx context.Context, child *Child, cases []*Case) (*Report, error) {
	has := l.needs()
	report := &Report{}
	var scripts [][][]string
	var played []*Case
	for _, c := range cases {
		if missing := c.missing(has); len(missing) > 0 {
			report.Verdicts = append(report.Verdicts, Verdict{Case: c, NotRun: missing})
			continue
		}
		played = append(played, c)
		scripts = append(scripts, c.script())
	}
	all, err := child.PlayAtOnce(ctx, l.threads, scripts)
	if err != nil {
		return nil, err
	}
	for _, answers := range all {
		for i, c := range played {
			report.Verdicts = append(report.Verdicts, Judge(c, answers[i]))
		}
	}
	return report, nil
}

// linksFile holds the cases that are made from the corpus.
const linksFile = "links.txt"

// record plays the cases, and writes the answers into the files that hold them.
func (l *commandLine) record(ctx context.Context, child *Child, stdout io.Writer) (int, error) {
	l.cases = cmp.Or(l.cases, filepath.Join("conformance", "library", "recorded"))
	files := l.folder()
	cases, err := Load(files)
	if err != nil {
		return 0, err
	}
	links, err := CorpusCases(corpus.Files)
	if err != nil {
		return 0, err
	}
	cases = slices.DeleteFunc(cases, func(c *Case) bool {
		if c.File != linksFile {
			return false
		}
		for _, made := range links {
			if made.Name == c.Name {
				made.takeChoices(c)
			}
		}
		return true
	})
	for _, c := range links {
		c.File = linksFile
	}
	all := append(cases, links...)
	chosen, err := l.chosen(child, files, slices.Clone(all))
	if err != nil {
		return 0, err
	}
	has := []Need{NeedsC, NeedsPTXAS, NeedsCompiler}
	for _, c := range chosen {
		if _, err := Run(ctx, []*Case{c}, recorder{child, c}, has); err != nil {
			return 0, err
		}
	}
	changed := 0
	for _, name := range fileNames(all) {
		text := Format(slices.DeleteFunc(slices.Clone(all), func(c *Case) bool { return c.File != name }))
		old, _ := fs.ReadFile(files, name)
		if string(old) == string(text) {
			continue
		}
		changed++
		fmt.Fprintf(stdout, "%s changed\n", name)
		if !l.check {
			if err := os.WriteFile(filepath.Join(l.cases, name), text, 0o666); err != nil {
				return 0, err
			}
		}
	}
	fmt.Fprintf(stdout, "%d cases, %d files changed\n", len(chosen), changed)
	if l.check && changed > 0 {
		return 1, nil
	}
	return 0, nil
}

// takeChoices keeps the accepted answers of an older recording.
func (c *Case) takeChoices(old *Case) {
	for i := range min(len(c.Calls), len(old.Calls)) {
		if slices.Equal(c.Calls[i].Words, old.Calls[i].Words) {
			c.Calls[i].Or = old.Calls[i].Or
			c.Calls[i].Want = old.Calls[i].Want
		}
	}
}

// fileNames are the files of cases, in order.
func fileNames(cases []*Case) (names []string) {
	for _, c := range cases {
		if !slices.Contains(names, c.File) {
			names = append(names, c.File)
		}
	}
	return names
}

// A recorder plays a case and keeps the answers as the recorded ones.
type recorder struct {
	Player
	c *Case
}

func (r recorder) Play(ctx context.Context, calls [][]string) ([]Answer, error) {
	answers, err := r.Player.Play(ctx, calls)
	for i := range r.c.Calls {
		r.c.Calls[i].Want = nil
		if i < len(answers) {
			r.c.Calls[i].Want = answers[i]
		}
	}
	return answers, err
}

// driverPackage plays calls on a library.
const driverPackage = "github.com/culink/culink/cmd/nvjitlink"

// findDriver is the driver that the command line names, that beside this program, or one that is
// built now into dir.
func (l *commandLine) findDriver(ctx context.Context, dir string) ([]string, error) {
	if l.driver != "" {
		return conformance.ParseCommand(l.driver)
	}
	name := "nvjitlink"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			return []string{beside, "-calls"}, nil
		}
	}
	program := filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, driverPackage)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("no -driver, and %s cannot be built here: %w\n%s", driverPackage, err, out)
	}
	return []string{program, "-calls"}, nil
}
