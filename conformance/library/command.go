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

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/show"
)

// A CommandLine holds the settings of "cuconform run" and "cuconform record" with -library.
type CommandLine struct {
	Library string        // path of a libnvJitLink; empty if the command has no library
	Run     []string      // globs of cases; empty: all
	Waivers string        // a file of images that are known to differ, or "culink"
	Time    time.Duration // time limit for one case, and for all threads
	Has     string        // what the library has: a list of "c", "ptxas", "compiler"; empty: c, and ptxas where it is found
	Stream  bool          // all cases in one process
	Threads int           // number of threads of one process on which the cases run; 0 for a process without threads
	Check   bool          // record nothing
	Trust   sandbox.Trust
	Release string // toolkit that culink's library emulates; if empty, that of the recordings
	Real    string // path of the release's real libnvJitLink, whose answers replace the recorded ones
	Cases   string // folder of cases and inputs; if empty, the built-in ones, or their folder in the source tree

	// Store, if not nil, gets the report of Judge in the form of a report of a linker.
	Store func(*report.Report) error

	driver string
}

// Flags lists the flags of AddFlags and AddRunFlags that are valid only with -library.
var Flags = []string{"driver", "cases", "has", "stream", "threads", "real"}

// AddFlags adds the flags of record and run that are about libraries.
func (l *CommandLine) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&l.Library, "library", "", "not a linker, but this libnvJitLink, a `FILE`")
	flags.StringVar(&l.driver, "driver", "", "with -library, a `COMMAND` that plays calls on it (default: nvjitlink -calls, beside this program, or built now)")
	flags.StringVar(&l.Cases, "cases", "", "with -library, a `FOLDER` with its cases and inputs")
}

// AddRunFlags adds the flags of run.
func (l *CommandLine) AddRunFlags(flags *flag.FlagSet) {
	l.AddFlags(flags)
	flags.StringVar(&l.Has, "has", "", "with -library, a `LIST` of what it has beside a C interface: ptxas, compiler (default: ptxas, where it is found)")
	flags.BoolVar(&l.Stream, "stream", false, "with -library, play all cases in one process")
	flags.StringVar(&l.Real, "real", "", "with -library, compare with this real one, a `FILE`")
	commandline.Number(flags, &l.Threads, "threads", 1, "with -library, play on a `NUMBER` of threads at once")
}

// Judge plays the cases on the library and prints the result. The status is 0 if all answers are right, and 1
// otherwise.
func (l *CommandLine) Judge(ctx context.Context, stdout io.Writer) (status int, err error) {
	return l.play(ctx, stdout, l.judge)
}

// Record plays the cases and stores the answers of the library. The status is 1 if Check is set and some answers have
// changed.
func (l *CommandLine) Record(ctx context.Context, stdout io.Writer) (status int, err error) {
	return l.play(ctx, stdout, l.record)
}

// play makes a child for the library and calls do with it.
func (l *CommandLine) play(ctx context.Context, stdout io.Writer, do func(context.Context, *Child, io.Writer) (int, error)) (int, error) {
	path, err := existing(l.Library)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "cuconform-library-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	driver, err := l.findDriver(ctx, dir)
	if err != nil {
		return 0, err
	}
	child := &Child{Driver: driver, Path: path, Dir: filepath.Join(dir, "inputs"), Temp: filepath.Join(dir, "tmp"), Time: l.Time, Stream: l.Stream, Trusted: l.Trust.Trusted, Reads: l.Trust.Reads, Env: []string{option.ToolkitVariable + "=" + cmp.Or(l.Release, suite.Toolkit)}}
	if err := os.Mkdir(child.Temp, 0o777); err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintln(stdout, "confinement:", confine.Describe(l.Trust.Trusted)); err != nil {
		return 0, err
	}
	defer child.Close()
	return do(ctx, child, stdout)
}

// existing returns the absolute path of a library, or an error if it does not exist.
func existing(library string) (string, error) {
	path, err := filepath.Abs(library)
	if err == nil {
		_, err = os.Stat(path)
	}
	return path, err
}

// Linker returns the command of a program that links with a library. remove deletes this program, which is built for the
// purpose.
func Linker(ctx context.Context, file string) (command string, remove func(), err error) {
	l := &CommandLine{Library: file}
	path, err := existing(l.Library)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "cuconform-library-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	driver, err := l.findDriver(ctx, dir)
	if err != nil {
		remove()
		return "", nil, err
	}
	return commandline.ShellQuote(driver[0]) + " " + commandline.ShellQuote(path), remove, nil
}

// folder returns the folder of the cases.
func (l *CommandLine) folder() fs.FS {
	if l.Cases == "" {
		return Recorded
	}
	return os.DirFS(l.Cases)
}

// chosen returns the cases that the command line selects, and writes their inputs for the child.
func (l *CommandLine) chosen(child *Child, files fs.FS, cases []*Case) ([]*Case, error) {
	cases = slices.DeleteFunc(cases, func(c *Case) bool {
		named := func(glob string) bool { return matches(glob, c.Name) }
		return len(l.Run) > 0 && !slices.ContainsFunc(l.Run, named)
	})
	if len(cases) == 0 {
		return nil, errors.New("nothing is selected")
	}
	if err := os.MkdirAll(child.Dir, 0o777); err != nil {
		return nil, err
	}
	return cases, WriteInputs(child.Dir, cases, files, corpus.Files)
}

// matches reports whether a glob matches the name of a case, or a leading part of the name.
func matches(glob, name string) bool {
	for part := name; part != "."; part = path.Dir(part) {
		if ok, _ := path.Match(glob, part); ok {
			return true
		}
	}
	return false
}

// needs returns the requirements of cases that this player meets.
func (l *CommandLine) needs() []Need {
	has := []Need{NeedsC}
	switch {
	case l.Has == "" && input.FindPTXAS("") != "":
		has = append(has, NeedsPTXAS)
	case l.Has != "":
		for _, word := range strings.Split(l.Has, ",") {
			has = append(has, Need(word))
		}
	}
	return has
}

// cases returns the cases with the answers that are recorded of the release. A real library has its own answers.
func (l *CommandLine) cases(files fs.FS) ([]*Case, error) {
	if l.Real != "" {
		return Load(files)
	}
	version, err := l.version()
	if err != nil {
		return nil, err
	}
	return LoadRelease(files, version)
}

// judge plays the cases and prints the result.
func (l *CommandLine) judge(ctx context.Context, child *Child, stdout io.Writer) (int, error) {
	files := l.folder()
	cases, err := l.cases(files)
	if err == nil {
		cases, err = l.chosen(child, files, cases)
	}
	if err != nil {
		return 0, err
	}
	if l.Real != "" {
		if cases, err = l.answered(ctx, child, cases); err != nil {
			return 0, err
		}
	}
	var verdicts *Report
	began := time.Now()
	if l.Threads > 0 {
		verdicts, err = l.judgeThreads(ctx, child, cases)
	} else {
		verdicts, err = Run(ctx, cases, child, l.needs())
	}
	if err != nil {
		return 0, err
	}
	waivers, err := l.loadWaivers()
	if err != nil {
		return 0, err
	}
	verdicts.Waive(waivers)
	if err := verdicts.Write(stdout); err != nil {
		return 0, err
	}
	took := time.Since(began)
	fmt.Fprintf(stdout, "%d calls in %.1f s\n", verdicts.Calls(), took.Seconds())
	if err := l.store(verdicts); err != nil {
		return 0, err
	}
	if verdicts.Failed() {
		return 1, nil
	}
	return 0, nil
}

// store gives the report to Store.
func (l *CommandLine) store(verdicts *Report) error {
	if l.Store == nil {
		return nil
	}
	version, err := l.version()
	if err != nil {
		return err
	}
	return l.Store(verdicts.Linking(l.Library, version, l.Waivers))
}

// answered returns cases with the answers of the real library. It omits cases that the library cannot run here.
func (l *CommandLine) answered(ctx context.Context, child *Child, cases []*Case) ([]*Case, error) {
	real, err := l.realChild(child)
	if err != nil {
		return nil, err
	}
	defer real.Close()
	for _, c := range cases {
		if _, err := Run(ctx, []*Case{c}, recorder{real, c}, l.needs()); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// realChild returns a child for the real library with the settings of child.
func (l *CommandLine) realChild(child *Child) (*Child, error) {
	path, err := existing(l.Real)
	return &Child{Driver: child.Driver, Path: path, Dir: child.Dir, Temp: child.Temp, Time: child.Time, Trusted: child.Trusted, Reads: child.Reads}, err
}

// loadWaivers returns the waivers that the command line names.
func (l *CommandLine) loadWaivers() ([]Waiver, error) {
	switch l.Waivers {
	case "":
		return nil, nil
	case "culink":
		return OwnWaivers()
	}
	text, err := os.ReadFile(l.Waivers)
	if err != nil {
		return nil, err
	}
	return ParseWaivers(string(text))
}

// OwnWaivers returns the waivers of culink's library.
func OwnWaivers() ([]Waiver, error) {
	text, err := fs.ReadFile(Recorded, "waivers")
	if err != nil {
		return nil, err
	}
	return ParseWaivers(string(text))
}

// judgeThreads plays the cases on many threads at once. A thread has no state of its own, so it also plays cases in
// which the real library crashes and cases that read files only by relative names.
func (l *CommandLine) judgeThreads(ctx context.Context, child *Child, cases []*Case) (*Report, error) {
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
	all, err := child.PlayAtOnce(ctx, l.Threads, scripts)
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

// linksFile is the file with the cases that are generated from the corpus.
const linksFile = "links.txt"

// record plays the cases and writes the answers into their files.
func (l *CommandLine) record(ctx context.Context, child *Child, stdout io.Writer) (int, error) {
	l.Cases = cmp.Or(l.Cases, filepath.Join("conformance", "library", "recorded"))
	files := l.folder()
	switch version, err := l.version(); {
	case err != nil:
		return 0, err
	case version != suite.Toolkit:
		return l.recordRelease(ctx, child, files, version, stdout)
	}
	cases, err := Load(files)
	if err != nil {
		return 0, err
	}
	links, err := CorpusCases(corpus.Files)
	if err != nil {
		return 0, err
	}
	stored := map[string]bool{} // links
	cases = slices.DeleteFunc(cases, func(c *Case) bool {
		if c.File != linksFile {
			return false
		}
		stored[c.Name] = true
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
	for _, c := range chosen {
		if _, err := Run(ctx, []*Case{c}, recorder{child, c}, everyNeed); err != nil {
			return 0, err
		}
	}
	all = slices.DeleteFunc(all, func(c *Case) bool {
		if c.endsLibrary() {
			fmt.Fprintf(stdout, "%s is not stored: the library does not end by itself\n", show.Line(c.Name))
			return true
		}
		return c.File == linksFile && !stored[c.Name] && !slices.Contains(chosen, c)
	})
	return l.storeCases(stdout, files, fileNames(all), all, len(chosen))
}

// everyNeed lists what the real library has.
var everyNeed = []Need{NeedsC, NeedsPTXAS, NeedsCompiler}

// storeCases writes those of the named files of cases that have changed, unless Check is set. A file without cases is empty.
// chosen is the number of cases that were played.
func (l *CommandLine) storeCases(stdout io.Writer, files fs.FS, names []string, all []*Case, chosen int) (int, error) {
	changed := 0
	for _, name := range names {
		text := Format(slices.DeleteFunc(slices.Clone(all), func(c *Case) bool { return c.File != name }))
		old, err := fs.ReadFile(files, name)
		if err == nil && string(old) == string(text) {
			continue
		}
		changed++
		fmt.Fprintf(stdout, "%s changed\n", show.Line(name))
		if !l.Check {
			if err := os.WriteFile(filepath.Join(l.Cases, name), text, 0o666); err != nil {
				return 0, err
			}
		}
	}
	fmt.Fprintf(stdout, "%d cases, %d files changed\n", chosen, changed)
	if l.Check && changed > 0 {
		return 1, nil
	}
	return 0, nil
}

// takeChoices copies the other accepted answers from an older recording.
func (c *Case) takeChoices(old *Case) {
	for i := range min(len(c.Calls), len(old.Calls)) {
		if slices.Equal(c.Calls[i].Words, old.Calls[i].Words) {
			c.Calls[i].Or = old.Calls[i].Or
			c.Calls[i].Want = old.Calls[i].Want
		}
	}
}

// endsLibrary reports whether the process crashed, exited or hung in a call of the case.
func (c *Case) endsLibrary() bool {
	return slices.ContainsFunc(c.Calls, func(call Call) bool { return call.Want[FacetResult] == crash })
}

// fileNames returns the files of cases, in order.
func fileNames(cases []*Case) (names []string) {
	for _, c := range cases {
		if !slices.Contains(names, c.File) {
			names = append(names, c.File)
		}
	}
	return names
}

// A recorder plays a case and stores the answers as the recorded ones.
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

// driverPackage is the package of the driver.
const driverPackage = "github.com/culink/culink/cmd/nvjitlink"

// findDriver returns the driver that the command line names. Without one, it returns the driver beside this program, or
// builds one in dir.
func (l *CommandLine) findDriver(ctx context.Context, dir string) ([]string, error) {
	if l.driver != "" {
		return sandbox.ParseCommand(l.driver)
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
