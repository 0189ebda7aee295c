package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/device"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/library"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
	"github.com/culink/culink/linker/show"
)

const runAbout = `Links every case of the corpus with a linker, compares with what nvlink did, and prints a table: a line for each area, a column for each facet. Failures, three of a kind, first causes and what to do next are beside it.`

// selectionFlags has the values of the flags that select cases.
type selectionFlags struct {
	run               []string
	sm, facet, corpus string
	platform          string
}

func (f *selectionFlags) add(flags *flag.FlagSet) {
	flags.Func("run", "only cases that match this `GLOB`: area, area/case or area/case/sm_N (repeatable)", func(glob string) error {
		f.run = append(f.run, glob)
		return plan.CheckGlob(glob)
	})
	flags.StringVar(&f.sm, "sm", "", "only these targets: a `LIST` such as 80,90a")
	flags.StringVar(&f.platform, "platform", platform.Linux.Name, "a `SYSTEM`: linux, linux-arm64, windows")
	flags.StringVar(&f.corpus, "corpus", "", "a `FOLDER` with another corpus than the built-in one")
}

func (f *selectionFlags) selection() (plan.Selection, error) {
	s := plan.Selection{Cases: f.run, Platform: f.platform}
	if _, ok := platform.Find(f.platform); !ok {
		return s, fmt.Errorf("unknown platform %q", f.platform)
	}
	for _, sm := range strings.FieldsFunc(f.sm, func(r rune) bool { return r == ',' }) {
		s.Targets = append(s.Targets, strings.TrimPrefix(sm, "sm_"))
	}
	facets, err := judge.ParseFacets(f.facet)
	s.Facets = facets
	return s, err
}

func (f *selectionFlags) files() fs.FS {
	if f.corpus != "" {
		return corpus.Plain(os.DirFS(f.corpus))
	}
	return corpus.Files
}

// A corpusRun holds the flags of run.
type corpusRun struct {
	flags        *flag.FlagSet
	chosen       selectionFlags
	skips        []plan.Skip
	linker       string
	trust        sandbox.Trust
	serve        bool
	keptEnv      []string
	waivers      string
	device       string
	shard        string
	toolkit      string
	oracle       string
	failed       string
	limits       sandbox.Limits
	jobs         int
	maxFailures  int
	script       bool
	skipMustFail bool
	output       reportFlags
	library      library.CommandLine
}

func setupRun(flags *flag.FlagSet) commandline.Action {
	r := &corpusRun{flags: flags, limits: sandbox.DefaultLimits}
	r.chosen.add(flags)
	flags.StringVar(&r.chosen.facet, "facet", "", "only these facets: a `LIST` of "+strings.Join(facetNames(), ", "))
	flags.StringVar(&r.linker, "linker", "", "a `COMMAND` that takes nvlink's arguments (default: culink, built in)")
	flags.BoolVar(&r.serve, "serve", false, "the linker links what it reads on stdin (docs/serve.md)")
	r.trust.AddFlags(flags)
	flags.Func("keep-env", "keep this variable, a `NAME`, for the linker (repeatable)", func(name string) error {
		r.keptEnv = append(r.keptEnv, name)
		return nil
	})
	flags.StringVar(&r.waivers, "waivers", "", "a `FILE` of known differences; culink: those of culink")
	flags.StringVar(&r.device, "device", "cudevice", "a `COMMAND` that runs images on a GPU")
	flags.StringVar(&r.toolkit, "toolkit", "", "compare with nvlink of this `RELEASE` (default: "+suite.Toolkit+")")
	flags.StringVar(&r.oracle, "oracle", "", "a `FOLDER` with the tools of -toolkit (CULINK_ORACLE)")
	flags.StringVar(&r.shard, "shard", "", "only part `I/N` of the links, also by TEST_SHARD_INDEX")
	flags.StringVar(&r.failed, "failed", "", "only cases that failed in this `FILE` of -json")
	commandline.Number(flags, &r.maxFailures, "max-failures", 1, "end after this `NUMBER` of failing links")
	commandline.Span(flags, &r.limits.Time, "timeout", "most `TIME` for a link, sixfold by wine")
	commandline.Number(flags, &r.limits.Output, "output", 1, "most `BYTES` printed in one link")
	commandline.Number(flags, &r.jobs, "j", 1, "a `NUMBER` of links at a time (default: processors)")
	flags.Func("skip", "do not ask for what this `GLOB[:FACET]` names (repeatable)", func(text string) error {
		skip, err := plan.ParseSkip(text)
		r.skips = append(r.skips, skip)
		return err
	})
	flags.BoolVar(&r.skipMustFail, "skip-must-fail", false, "run what is skipped too, and fail where it passes")
	flags.BoolVar(&r.script, "script", false, "print a shell script that skips what fails now; exit 0")
	r.output.add(flags)
	r.library.AddRunFlags(flags)
	return r.run
}

// heapGrowth is the growth of the heap between two collections, in percent. Most memory of a link soon becomes garbage.
// Compared to the default of 100, this value saves 8 % of the CPU time of a run and costs 10 MB.
const heapGrowth = 400

// usualMemory is the heap size in bytes up to which heapGrowth applies. Beyond it, collections are more frequent,
// because failing links leave much memory in use.
const usualMemory = 160 << 20

// sameLinks lists the flags that determine which links are run, and how they are run and judged.
var sameLinks = []string{"linker", "serve", "trust", "platform", "corpus", "waivers", "toolkit", "oracle", "timeout", "output"}

// given returns the arguments of the named flags as the user wrote them, and those of -keep-env and -read.
func (r *corpusRun) given(names ...string) (words []string) {
	r.flags.Visit(func(f *flag.Flag) {
		if slices.Contains(names, f.Name) {
			words = append(words, "-"+f.Name)
			if is, ok := f.Value.(interface{ IsBoolFlag() bool }); !ok || !is.IsBoolFlag() {
				words = append(words, f.Value.String())
			}
		}
	})
	for _, name := range r.keptEnv {
		words = append(words, "-keep-env", name)
	}
	for _, name := range r.trust.Reads {
		words = append(words, "-read", name)
	}
	return words
}

// words returns the arguments that determine the run, for a script that repeats it.
func (r *corpusRun) words() []string {
	words := r.given(append([]string{"sm", "facet"}, sameLinks...)...)
	for _, glob := range r.chosen.run {
		words = append(words, "-run", glob)
	}
	return words
}

// facetNames returns the facets in their order.
func facetNames() (names []string) {
	for _, f := range judge.AllFacets {
		names = append(names, string(f))
	}
	return names
}

// selection returns the part of the corpus that the command line selects.
func (r *corpusRun) selection() (plan.Selection, error) {
	s, err := r.chosen.selection()
	if err != nil {
		return s, err
	}
	s.Skips = r.skips
	if r.failed != "" {
		old, err := readReport(r.failed)
		if err != nil {
			return s, err
		}
		if s.Only = old.FailedCases(); len(s.Only) == 0 {
			return s, fmt.Errorf("nothing failed in %s", r.failed)
		}
	}
	if r.shard != "" {
		s.Shard, err = plan.ParseShard(r.shard)
	} else {
		s.Shard, err = plan.ShardOfEnvironment(os.Getenv)
	}
	return s, err
}

// culinkWaivers is the name of the waivers in the corpus. They are for culink.
const culinkWaivers = "culink"

// loadWaivers returns the waivers of the command line for a release, or for that of the recordings if release is nil.
func (r *corpusRun) loadWaivers(release *arch.Profile) ([]plan.Waiver, error) {
	switch r.waivers {
	case "":
		return nil, nil
	case culinkWaivers:
		return plan.LoadWaivers(r.chosen.files(), release)
	}
	text, err := os.ReadFile(r.waivers)
	if err != nil {
		return nil, err
	}
	return plan.ParseWaivers(r.waivers, string(text), release)
}

func (r *corpusRun) run(ctx context.Context, _ []string, stdout, stderr io.Writer) (status int, err error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(usualMemory)
	}
	if err := checkLibraryFlags(r.flags, r.library.Library != "", "run", "waivers", "timeout", "trust", "read", "toolkit", "json"); err != nil {
		return 0, err
	}
	if l := &r.library; l.Library != "" {
		l.Run, l.Waivers, l.Time, l.Trust, l.Release = r.chosen.run, r.waivers, r.limits.Time, r.trust, r.toolkit
		if err := r.output.json.open(); err != nil {
			return 0, err
		}
		defer r.output.json.discard()
		l.Store = func(report *report.Report) error { return r.output.json.write(report.WriteJSON) }
		return l.Judge(ctx, stdout)
	}
	job, err := r.job(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.output.open(); err != nil {
		return 0, err
	}
	defer r.output.discard()
	report, err := r.judge(ctx, job, stdout, stderr)
	if err != nil {
		return 0, err
	}
	if len(report.Verdicts) == 0 && job.selection.Shard.Total == 0 {
		return 0, r.nothingSelected(job.release)
	}
	if r.script {
		return commandline.OK, report.WriteScript(stdout, r.words())
	}
	status, err = r.output.write(report, r.chosen.files(), stdout)
	if err == nil && !r.output.tap {
		err = r.next(report, job.waivers != nil, stdout)
	}
	return status, err
}

// A job is the input of a run: the cases, and the linkers to run.
type job struct {
	release   *conformance.Release // nil: the release of the recordings
	selection plan.Selection
	waivers   []plan.Waiver
	linker    *sandbox.Linker
}

// job reads everything that the command line names.
func (r *corpusRun) job(ctx context.Context) (j job, err error) {
	if j.release, err = conformance.FindRelease(ctx, r.toolkit, r.oracle); err != nil {
		return j, err
	}
	if j.selection, err = r.selection(); err != nil {
		return j, err
	}
	if j.waivers, err = r.loadWaivers(j.release.OtherProfile()); err != nil {
		return j, err
	}
	if j.linker, err = linkerUnderTest(r.linker); err != nil {
		return j, err
	}
	j.release.Set(j.linker)
	j.linker.Limits, j.linker.KeepEnv, j.linker.Serves = r.limitsOf(j.linker.Command), r.keptEnv, r.serve
	r.trust.Set(j.linker)
	return j, nil
}

// limitsOf returns the limits of a link by a command. Through Wine it may take [sandbox.SlowFactor] times as long, unless
// -timeout is given.
func (r *corpusRun) limitsOf(command []string) sandbox.Limits {
	limits, given := r.limits, false
	r.flags.Visit(func(f *flag.Flag) { given = given || f.Name == "timeout" })
	switch filepath.Base(command[0]) {
	case "wine", "wine64", "wine-run":
		if !given {
			limits.Time *= sandbox.SlowFactor
		}
	}
	return limits
}

// judge runs the links of a job and shows the progress.
func (r *corpusRun) judge(ctx context.Context, j job, stdout, stderr io.Writer) (*report.Report, error) {
	runner, err := r.startDevice(ctx, j.selection.Facets, stderr)
	if err != nil {
		return nil, err
	}
	options := conformance.Options{
		Waivers: j.waivers, RunSkipped: r.skipMustFail, Jobs: r.jobs, MaxFailures: r.maxFailures,
		Release: j.release,
	}
	if r.linker != "" {
		if options.Yardstick, err = builtIn(); err != nil {
			return nil, err
		}
	}
	if runner != nil {
		defer runner.Close()
		options.Device = runner
	}
	lines := stdout
	switch {
	case r.script || r.output.tap:
		lines = io.Discard
	case isTerminal(stdout):
		lines = &r.output.failures
	}
	progress := newProgress(stderr, newFailures(lines, stdout, r.output.verbose))
	options.Progress = progress.step
	report, err := conformance.Run(ctx, r.chosen.files(), j.linker, j.selection, options)
	progress.end()
	if err != nil {
		return nil, err
	}
	report.Linker, report.Waivers = r.linker, r.waivers
	return report, nil
}

// nothingSelected returns the error for a run without verdicts. If a release has no recordings, the error mentions that
// its tools are needed.
func (r *corpusRun) nothingSelected(release *conformance.Release) error {
	if release == nil || release.NVLink != nil {
		return errors.New("nothing is selected; cuconform list shows the cases")
	}
	err := fmt.Errorf("nothing is recorded of toolkit %q for what is selected: -oracle FOLDER names its tools", r.toolkit)
	if release.NoTools != nil {
		err = fmt.Errorf("%w (%w)", err, release.NoTools)
	}
	return err
}

// startDevice starts the command that runs images, if the facet device is requested. If there is no GPU, it prints that
// the facet is not judged. The other facets are then judged as usual.
func (r *corpusRun) startDevice(ctx context.Context, facets []judge.Facet, stderr io.Writer) (*device.Runner, error) {
	if !slices.Contains(facets, judge.FacetDevice) {
		return nil, nil
	}
	runner, err := device.Start(ctx, strings.Fields(r.device), r.limits.Time)
	if errors.Is(err, device.ErrNone) {
		fmt.Fprintf(stderr, "cuconform: the facet device is NOT RUN: %v\n", err)
		return nil, nil
	}
	return runner, err
}

// checkLibraryFlags rejects flags about linkers if -library is set, and flags about libraries if it is not. both lists
// flags that are valid in both cases.
func checkLibraryFlags(flags *flag.FlagSet, isLibrary bool, both ...string) (err error) {
	flags.Visit(func(f *flag.Flag) {
		of := f.Name == "library" || slices.Contains(library.Flags, f.Name)
		switch {
		case isLibrary && !of && !slices.Contains(both, f.Name):
			err = fmt.Errorf("-%s says nothing of a library", f.Name)
		case !isLibrary && of:
			err = fmt.Errorf("-%s needs -library", f.Name)
		}
	})
	return err
}

// next suggests the next command.
func (r *corpusRun) next(found *report.Report, waived bool, stdout io.Writer) error {
	command := "cuconform run"
	for _, word := range r.given(sameLinks...) {
		command += " " + commandline.ShellQuote(word)
	}
	var step string
	groups := found.FirstCauses()
	hint := found.Hint(groups)
	switch {
	case len(groups) > 0 && hint != "":
		step = hint
	case len(groups) > 0 && r.linker == "" && !waived:
		step = "culink's known differences are excused by -waivers " + culinkWaivers
	case len(groups) > 0:
		v := groups[0].First
		step = fmt.Sprintf("%s -run %s -sm %s -v", command, commandline.ShellQuote(v.Case), v.SM)
		if r.shows(v) {
			step = fmt.Sprintf("cuconform reduce%s %s -sm %s   makes the link small", r.linkerWords(), commandline.ShellQuote(v.Case), v.SM)
		} else if groups[0].Links > 1 {
			step += fmt.Sprintf("   shows the first of %d links with one cause", groups[0].Links)
		}
	case len(found.Stale) > 0:
		step = "delete the -skip of what passes"
	case len(found.StaleWaivers) > 0:
		step = "delete the waivers that excuse nothing"
	case found.Standing() == report.NothingJudged:
		step = "skip less"
	case r.narrowed():
		step = command + "   runs the whole corpus"
	default:
		step = command + " -script > conformance.sh   makes a check for CI"
	}
	_, err := fmt.Fprintf(stdout, "next: %s\n", show.Line(step))
	return err
}

// shows reports whether the command line already makes the run show everything that reduce could show about a failing
// link.
func (r *corpusRun) shows(v judge.Verdict) bool {
	return r.output.verbose && !r.serve && slices.Equal(r.chosen.run, []string{v.Case}) && r.chosen.sm == v.SM
}

// linkerWords returns the arguments about the linker under test that reduce accepts too.
func (r *corpusRun) linkerWords() (words string) {
	for _, word := range r.given("linker", "trust", "corpus", "oracle") {
		words += " " + commandline.ShellQuote(word)
	}
	return words
}

// narrowed reports whether the command line omits a part of the corpus.
func (r *corpusRun) narrowed() bool {
	return len(r.chosen.run) > 0 || r.chosen.sm != "" || r.chosen.facet != "" || len(r.skips) > 0 || r.failed != "" || r.shard != ""
}
