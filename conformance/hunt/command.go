package hunt

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/generate"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/versus"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
)

// settings has the values of the flags of hunt.
type settings struct {
	n, from, jobs                     int
	sms, linker, reference            string
	oracle, pool, keep, serve         string
	toolkit, mix, hosts               string
	units, chains, perClass           int
	constructs, weights               string
	seed                              uint64
	shrink, image, sound, showsDetail bool
	trust                             sandbox.Trust
	culink                            Reference
	library                           string
	calls                             bool
	libraries                         Libraries

	programs, cache, nvcc, link string
	features, corpus            bool
	optionsOf, compilers        string
	time                        time.Duration
}

// A Reference returns the linker under test if the command line names none.
type Reference func() (*sandbox.Linker, error)

// Libraries has functions that test a libnvJitLink.
type Libraries struct {
	// Linker returns the command of a linker that calls a libnvJitLink. remove deletes the program built for it.
	Linker func(ctx context.Context, file string) (command string, remove func(), err error)
	// Calls runs random sequences of calls and prints those that differ. It returns the exit status of hunt.
	Calls func(ctx context.Context, trials CallTrials, stdout io.Writer) (status int, err error)
}

// CallTrials are sequences of calls. Each sequence runs on the libnvJitLink under test and on the real libnvJitLink of a
// release.
type CallTrials struct {
	Library, Real string // files
	Oracle        string // folder of the tools of the release
	Release       string // "13.0.88"
	From, N       int    // number of the first sequence, and number of sequences
	Seed          uint64
	Shrink        bool
	Trust         sandbox.Trust
}

// Command returns the command "cuconform hunt". Its exit status is [commandline.Differs] if a trial differs.
func Command(reference Reference, libraries Libraries) commandline.Command {
	return commandline.Command{
		Name: "hunt", Summary: "link random programs with a linker and the real nvlink",
		Setup: setup(reference, libraries),
	}
}

func setup(reference Reference, libraries Libraries) func(*flag.FlagSet) commandline.Action {
	return func(flags *flag.FlagSet) commandline.Action {
		s := &settings{n: 100, jobs: 2, perClass: 3, units: 12, culink: reference, libraries: libraries}
		s.add(flags)
		return func(ctx context.Context, _ []string, stdout, stderr io.Writer) (int, error) {
			if s.calls {
				return s.runCalls(ctx, stdout)
			}
			remove, err := s.useLibrary(ctx)
			if err != nil {
				return 0, err
			}
			defer remove()
			release, err := s.check(ctx)
			if err != nil {
				return 0, err
			}
			removeReference, err := s.askLibrary(ctx, release)
			if err != nil {
				return 0, err
			}
			defer removeReference()
			mixed, err := s.assemblers(ctx)
			if err != nil {
				return 0, err
			}
			return s.run(release, mixed, stdout, stderr)
		}
	}
}

// useLibrary makes the library that -library names the linker under test. The command then compares only the image, and
// draws only options that a library has.
func (s *settings) useLibrary(ctx context.Context) (remove func(), err error) {
	if s.library == "" {
		return func() {}, nil
	}
	if s.linker != "" {
		return nil, errors.New("-linker and -library: one is under test")
	}
	s.image, s.weights = true, "none"
	s.linker, remove, err = s.libraries.Linker(ctx, s.library)
	return remove, err
}

// askLibrary makes the libnvJitLink of a release the reference if the nvlink of this release is not available. The
// command then compares only the image, and draws only options that a library has (KIT-083).
func (s *settings) askLibrary(ctx context.Context, release *conformance.Release) (remove func(), err error) {
	if release == nil || !release.Profile.Interpolated || s.reference != "" {
		return func() {}, nil
	}
	file, err := realLibrary(release.Oracle)
	if err != nil {
		return nil, fmt.Errorf("%w, and no nvlink is known of %s", err, release.Profile.Version)
	}
	s.image, s.weights, s.chains = true, cmp.Or(s.weights, "none"), 0
	s.reference, remove, err = s.libraries.Linker(ctx, file)
	s.reference += " --toolkit=" + release.Profile.Version // the release whose targets the library supports
	return remove, err
}

// realLibrary returns the path of the libnvJitLink in a folder of NVIDIA's tools.
func realLibrary(oracle string) (string, error) {
	files, err := filepath.Glob(filepath.Join(oracle, "lib", "libnvJitLink.so.*"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no libnvJitLink.so in %s/lib to ask", oracle)
	}
	return files[0], nil
}

// runCalls runs sequences of calls on the library that -library names (CONF-050).
func (s *settings) runCalls(ctx context.Context, stdout io.Writer) (int, error) {
	if s.library == "" {
		return 0, errors.New("-calls: of which -library?")
	}
	release, err := s.check(ctx)
	if err != nil {
		return 0, err
	}
	trials := CallTrials{Library: s.library, Oracle: s.oracle, Release: suite.Toolkit, From: s.from, N: s.n, Seed: s.seed, Shrink: s.shrink, Trust: s.trust}
	if release != nil {
		trials.Release = release.Profile.Version
	}
	if trials.Real, err = realLibrary(s.oracle); err != nil {
		return 0, err
	}
	return s.libraries.Calls(ctx, trials, stdout)
}

func (s *settings) add(flags *flag.FlagSet) {
	commandline.Number(flags, &s.n, "n", 1, "`NUMBER` of trials for each architecture")
	commandline.Number(flags, &s.from, "from", 0, "`NUMBER` of the first trial")
	flags.StringVar(&s.sms, "sm", "75,80,90", "architectures, a `LIST` of numbers")
	flags.Uint64Var(&s.seed, "seed", 1, "`NUMBER`: the same seed makes the same trials")
	commandline.Number(flags, &s.jobs, "jobs", 1, "`NUMBER` of trials at a time")
	flags.StringVar(&s.keep, "keep", "", "`FOLDER` for what differs")
	commandline.Number(flags, &s.perClass, "per-class", 0, "keep and shrink this `NUMBER` of each class")
	flags.BoolVar(&s.shrink, "shrink", true, "make what differs smaller")
	flags.StringVar(&s.linker, "linker", "", "linker under test, a `COMMAND` (default: culink, built in)")
	flags.StringVar(&s.library, "library", "", "libnvJitLink under test, a `FILE`, by its images alone")
	flags.BoolVar(&s.calls, "calls", false, "with -library, random sequences of calls")
	s.trust.AddFlags(flags)
	flags.StringVar(&s.reference, "reference", "", "a `COMMAND` to compare with (default: -oracle's nvlink)")
	flags.StringVar(&s.oracle, "oracle", "", "`FOLDER` with NVIDIA's tools (default: $CULINK_ORACLE)")
	flags.StringVar(&s.toolkit, "toolkit", "", "ask this `RELEASE` and its assembler (default: "+suite.Toolkit+")")
	flags.StringVar(&s.mix, "mix", "", "assemble each unit by one of a `LIST` of releases")
	flags.StringVar(&s.pool, "pool", "", "`FOLDER` of compiled units NAME.SM.cubin to recombine")
	flags.StringVar(&s.hosts, "hosts", "", "host objects of a `SYSTEM`: "+hostsFlag())
	commandline.Number(flags, &s.units, "units", 0, "most translation units of a program, a `NUMBER`; 0: only units of -pool")
	flags.StringVar(&s.constructs, "constructs", "", "only these constructs, a `LIST` of "+strings.Join(generate.Constructs(), ", "))
	flags.StringVar(&s.weights, "options", "", "`WEIGHTS` of options in 100, as r=20,g=0, or \"none\"")
	flags.IntVar(&s.chains, "chains", 6, "in `NUMBER` of 100 trials, -r links some first")
	flags.StringVar(&s.serve, "serve", "", "first ask a `COMMAND` that serves links")
	flags.BoolVar(&s.image, "image", false, "judge success and the image alone, not the messages")
	flags.BoolVar(&s.sound, "sound", true, "judge by itself what the linkers agree on")
	flags.BoolVar(&s.showsDetail, "detail", false, "print the comparison of each difference")
	flags.StringVar(&s.programs, "programs", "", "instead, programs of a `FOLDER`: sources (*.cu), and folders of them, linked in six ways; -sm may then be 100a")
	flags.BoolVar(&s.features, "features", false, "instead, small units of PTX, linked in four ways")
	flags.BoolVar(&s.corpus, "corpus", false, "instead, random links of files of the corpus")
	flags.StringVar(&s.optionsOf, "options-of", "", "instead, a few units by every option of a `TOOL`: ptxas")
	flags.StringVar(&s.compilers, "compilers", "", "instead, random links of units in a `FOLDER` that several compilers made (docs/programs.md); -sm may be 100a")
	commandline.Span(flags, &s.time, "for", "start no link after this `TIME`; a sample of -features")
	flags.StringVar(&s.cache, "cache", "", "`FOLDER` for compiled programs (default: the user's cache)")
	flags.StringVar(&s.nvcc, "nvcc", "", "`ARGUMENTS` of nvcc for -programs, as \"-I include\"")
	flags.StringVar(&s.link, "link", "", "`ARGUMENTS` of every link of -programs, as \"-lcudadevrt\"")
}

// check rejects settings that do not fit together. It returns the release of the reference, or nil if the reference is
// of the same release as the recordings.
func (s *settings) check(ctx context.Context) (release *conformance.Release, err error) {
	if s.units == 0 && s.pool == "" {
		return nil, fmt.Errorf("-units %d: at least one, or 0 with -pool", s.units)
	}
	if s.toolkit != "" {
		if release, err = conformance.FindRelease(ctx, s.toolkit, s.oracle); err != nil {
			return nil, err
		}
	}
	if release != nil {
		if release.NoTools != nil {
			return nil, release.NoTools
		}
		s.oracle = release.Oracle
	}
	if s.oracle = cmp.Or(s.oracle, os.Getenv("CULINK_ORACLE")); s.oracle == "" {
		return nil, errors.New("no oracle: set CULINK_ORACLE or -oracle")
	}
	if s.weights == "none" {
		s.chains = 0
	}
	if s.optionsOf != "" && s.optionsOf != "ptxas" {
		return nil, fmt.Errorf("-options-of %s: only ptxas", s.optionsOf)
	}
	return release, nil
}

// assemblers returns the releases of -mix.
func (s *settings) assemblers(ctx context.Context) (list []*conformance.Release, err error) {
	for _, version := range strings.FieldsFunc(s.mix, func(r rune) bool { return r == ',' }) {
		release, err := conformance.FindRelease(ctx, version, "")
		switch {
		case err != nil:
			return nil, err
		case release == nil:
			release = &conformance.Release{Profile: arch.Default, Oracle: os.Getenv("CULINK_ORACLE")}
		}
		if release.NoTools != nil {
			return nil, fmt.Errorf("-mix: %w", release.NoTools)
		}
		list = append(list, release)
	}
	return list, nil
}

// run runs the trials for every architecture.
func (s *settings) run(release *conformance.Release, mixed []*conformance.Release, stdout, stderr io.Writer) (status int, err error) {
	tmp, err := os.MkdirTemp("", "hunt")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	h, err := newHunter(s, tmp)
	if err != nil {
		return 0, err
	}
	h.pair.Relocates = true
	if release != nil {
		release.Set(h.linker)
		h.pair.Relocates = release.Profile.Options.Relocatable
		h.pair.Toolkit = release.Profile.Version
		h.ptx = release.Profile.PTX()
	}
	for _, r := range mixed {
		h.assemblers = append(h.assemblers, newOracle(r.Oracle))
		h.ptx = min(cmp.Or(h.ptx, r.Profile.PTX()), r.Profile.PTX())
	}
	for _, l := range []**sandbox.Linker{&h.linker, &h.reference} {
		var end func()
		*l, end = (*l).Pooled()
		defer end()
	}
	if h.server != nil {
		defer h.server.Close()
	}
	fmt.Fprintln(stdout, "confinement:", confine.Describe(s.trust.Trusted))
	switch {
	case s.programs != "":
		return huntPrograms(s, h, stdout)
	case s.compilers != "":
		return huntCompilers(s, h, release, mixed, stdout, stderr)
	case s.features || s.optionsOf != "":
		return huntMatrix(s, h, release, mixed, stdout)
	}
	status = commandline.OK
	for _, word := range strings.Split(s.sms, ",") {
		sm, err := strconv.Atoi(word)
		if err != nil {
			return 0, err
		}
		if s.pool != "" {
			if h.pools[sm], err = readPool(s.pool, word); err != nil {
				return 0, err
			}
		}
		if s.corpus {
			if h.cases[sm], err = readCases(corpus.Files, word); err != nil {
				return 0, err
			}
		}
		h.end = s.endOfTarget()
		t := h.run(word, s.from, s.n, max(1, s.jobs), func(number int) *trial { return h.trial(sm, number) }, stderr)
		t.summary(stdout)
		if s.showsDetail {
			t.details(stdout)
		}
		if len(t.findings) > 0 {
			status = commandline.Differs
		}
	}
	return status, nil
}

// endOfTarget returns the time after which no trial for a target starts: the targets get equal parts of the time. It is
// zero if there is no limit.
func (s *settings) endOfTarget() time.Time {
	if s.time == 0 {
		return time.Time{}
	}
	return time.Now().Add(s.time / time.Duration(1+strings.Count(s.sms, ",")))
}

// newHunter finds both linkers. Without a command for the linker under test, it builds culink in its own folder.
func newHunter(s *settings, tmp string) (h *hunter, err error) {
	h = &hunter{
		oracle: newOracle(s.oracle),
		seed:   s.seed, units: s.units, chains: s.chains, keep: s.keep, perClass: s.perClass, shrink: s.shrink, reduceTime: usualReduceTime,
		pair:  versus.Pair{Sound: s.sound, ImageOnly: s.image},
		pools: map[int][]*member{}, cases: map[int][]*caseFiles{}, kept: map[string]int{},
	}
	h.command.reference, h.command.linker = cmp.Or(s.reference, h.oracle.tool("nvlink")), cmp.Or(s.linker, "culink")
	if h.options, err = weigh(s.weights); err != nil {
		return nil, err
	}
	if s.constructs != "" {
		h.constructs = strings.Split(s.constructs, ",")
	}
	if h.reference, err = parseLinker(h.command.reference, filepath.Join(tmp, "reference")); err != nil {
		return nil, err
	}
	if s.linker == "" {
		h.linker, err = s.culink()
	} else {
		h.linker, err = parseLinker(s.linker, filepath.Join(tmp, "linker"))
	}
	if err != nil {
		return nil, err
	}
	if s.hosts != "" {
		if err := s.useHosts(h); err != nil {
			return nil, err
		}
	}
	s.trust.Set(h.linker)
	if s.serve != "" {
		command, err := sandbox.ParseCommand(s.serve)
		if err != nil {
			return nil, err
		}
		h.server = &sandbox.Server{Linker: sandbox.Linker{Command: command, Limits: sandbox.DefaultLimits}}
		s.trust.Set(&h.server.Linker)
	}
	return h, nil
}

// weigh sets the weights of options from a list such as "r=20,g=0". The word "none" sets all weights to 0.
func weigh(spec string) ([]option, error) {
	list := slices.Clone(linkOptions)
	if spec == "none" {
		return nil, nil
	}
	if spec == "" {
		return list, nil
	}
	for _, part := range strings.Split(spec, ",") {
		name, value, found := strings.Cut(part, "=")
		weight, err := strconv.Atoi(value)
		i := slices.IndexFunc(list, func(o option) bool { return o.name == name })
		switch {
		case name == "all" && found && err == nil:
			for i := range list {
				list[i].weight = weight
			}
		case i < 0 || !found || err != nil:
			return nil, fmt.Errorf("-options: %q is not NAME=WEIGHT", part)
		default:
			list[i].weight = weight
		}
	}
	return list, nil
}
