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

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/generate"
)

// Exit statuses of Run.
const (
	ExitSame   = 0
	ExitDiffer = 1
	ExitUsage  = 2
)

// settings is the command line of hunt.
type settings struct {
	n, from, jobs                     int
	sms, linker, reference            string
	oracle, pool, keep, serve         string
	units, chains, perClass           int
	constructs, weights               string
	seed                              uint64
	shrink, image, sound, showsDetail bool
	trust                             bool
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("hunt", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.n, "n", 100, "trials per architecture")
	flags.IntVar(&s.from, "from", 0, "number of the first trial")
	flags.StringVar(&s.sms, "sm", "75,80,90", "architectures, a `LIST` of numbers")
	flags.Uint64Var(&s.seed, "seed", 1, "the same seed gives the same trials")
	flags.IntVar(&s.jobs, "jobs", 2, "trials at a time")
	flags.StringVar(&s.keep, "keep", "", "`FOLDER` for what differs")
	flags.IntVar(&s.perClass, "per-class", 3, "how many of each class to keep and make smaller")
	flags.BoolVar(&s.shrink, "shrink", true, "make what differs smaller")
	flags.StringVar(&s.linker, "linker", "", "linker under test, a `COMMAND` (default: build ./cmd/culink)")
	flags.BoolVar(&s.trust, "trust", false, "do not confine the linker under test")
	flags.StringVar(&s.reference, "reference", "", "reference linker, a `COMMAND` (default: nvlink of the oracle)")
	flags.StringVar(&s.oracle, "oracle", os.Getenv("CULINK_ORACLE"), "`FOLDER` with NVIDIA's tools in bin (default: $CULINK_ORACLE)")
	flags.StringVar(&s.pool, "pool", "", "`FOLDER` of compiled units NAME.SM.cubin to recombine")
	flags.IntVar(&s.units, "units", 12, "most translation units of a program; 0: only units of -pool")
	flags.StringVar(&s.constructs, "constructs", "", "only these constructs, a `LIST` of "+strings.Join(generate.Constructs(), ","))
	flags.StringVar(&s.weights, "options", "", "`WEIGHTS` of options in 100, such as r=20,g=0; \"none\" for no options")
	flags.IntVar(&s.chains, "chains", 6, "in how many of 100 trials some inputs are linked with -r first")
	flags.StringVar(&s.serve, "serve", "", "ask a `COMMAND` that serves links, as \"nvjitlink -serve LIBRARY\", before the reference; the reference judges where the images differ, or the server refuses")
	flags.BoolVar(&s.image, "image", false, "judge success and the image alone, for a -reference with messages and a tool note of its own, as cmd/nvjitlink")
	flags.BoolVar(&s.sound, "sound", true, "judge by itself what the linkers agree on (cuconform run -facet sound)")
	flags.BoolVar(&s.showsDetail, "detail", false, "print the comparison of each difference")
	if err := flags.Parse(args); err != nil {
		return nil, errUsage
	}
	if s.units < 0 || s.units == 0 && s.pool == "" {
		return nil, fmt.Errorf("-units %d: at least one, or 0 with -pool", s.units)
	}
	if s.oracle == "" {
		return nil, errors.New("no oracle: set CULINK_ORACLE or -oracle")
	}
	if s.weights == "none" {
		s.chains = 0
	}
	return s, nil
}

// errUsage is a mistake in the command line of which package flag has told.
var errUsage = errors.New("usage")

// Run is the command "cuconform hunt". It returns ExitDiffer when a trial differs,
// and ExitUsage when the hunt cannot start.
func Run(args []string, stdout, stderr io.Writer) int {
	status, err := run(args, stdout, stderr)
	if err != nil {
		if err != errUsage {
			fmt.Fprintln(stderr, "hunt:", err)
		}
		return ExitUsage
	}
	return status
}

func run(args []string, stdout, stderr io.Writer) (status int, err error) {
	s, err := parse(args, stderr)
	if err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp("", "hunt")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	h, err := newHunter(s, tmp)
	if err != nil {
		return 0, err
	}
	if h.server != nil {
		defer h.server.Close()
	}
	fmt.Fprintln(stdout, "confinement:", confine.Describe(s.trust))
	status = ExitSame
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
		t := h.run(sm, s.from, s.n, max(1, s.jobs), stderr)
		t.summary(stdout)
		if s.showsDetail {
			for _, f := range slices.Concat(t.findings, t.refused) {
				fmt.Fprintf(stdout, "\n== trial %d: %s\n%s\n", f.trial.number, f.class, f.detail)
			}
		}
		if len(t.findings) > 0 {
			status = ExitDiffer
		}
	}
	return status, nil
}

// newHunter finds the linkers, or builds culink, in a folder of its own.
func newHunter(s *settings, tmp string) (h *hunter, err error) {
	h = &hunter{
		oracle: &oracle{dir: s.oracle, cache: map[[32]byte][]byte{}},
		seed:   s.seed, units: s.units, chains: s.chains, keep: s.keep, perClass: s.perClass, shrink: s.shrink, sound: s.sound, imageOnly: s.image,
		pools: map[int][]*member{}, kept: map[string]int{},
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
		h.linker, err = conformance.BuildReference(context.Background(), tmp)
	} else {
		h.linker, err = parseLinker(s.linker, filepath.Join(tmp, "linker"))
	}
	if err != nil {
		return nil, err
	}
	h.linker.Trusted = s.trust
	if s.serve != "" {
		command, err := conformance.ParseCommand(s.serve)
		if err != nil {
			return nil, err
		}
		h.server = &conformance.Server{Command: command, Limits: conformance.DefaultLimits}
	}
	return h, nil
}

// weigh sets the weights of options: "r=20,g=0"; "none" sets all to 0.
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
