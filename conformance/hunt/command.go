package hunt

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/generate"
)

// Exit statuses of Run.
const (
	ExitSame   = 0
	ExitDiffer = 1
	ExitUsage  = 2
)

// Run is the command "cuconform hunt". It returns ExitDiffer when a trial differs,
// and ExitUsage when the hunt cannot start.
func Run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("hunt", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", 100, "trials per architecture")
	from := flags.Int("from", 0, "number of the first trial")
	sms := flags.String("sm", "75,80,90", "architectures, a `LIST` of numbers")
	seed := flags.Uint64("seed", 1, "the same seed gives the same trials")
	jobs := flags.Int("jobs", 2, "trials at a time")
	keep := flags.String("keep", "", "`FOLDER` for what differs")
	perClass := flags.Int("per-class", 3, "how many of each class to keep and make smaller")
	shrink := flags.Bool("shrink", true, "make what differs smaller")
	linker := flags.String("linker", "", "linker under test, a `COMMAND` (default: build ./cmd/culink)")
	reference := flags.String("reference", "", "reference linker, a `COMMAND` (default: nvlink of the oracle)")
	dir := flags.String("oracle", os.Getenv("CULINK_ORACLE"), "`FOLDER` with NVIDIA's tools in bin (default: $CULINK_ORACLE)")
	pool := flags.String("pool", "", "`FOLDER` of compiled units NAME.SM.cubin to recombine")
	units := flags.Int("units", 12, "most translation units of a program")
	constructs := flags.String("constructs", "", "only these constructs, a `LIST` of "+strings.Join(generate.Constructs(), ","))
	weights := flags.String("options", "", "`WEIGHTS` of options in 100, such as r=20,g=0; \"none\" for no options")
	chains := flags.Int("chains", 6, "in how many of 100 trials some inputs are linked with -r first")
	show := flags.Bool("detail", false, "print the comparison of each difference")
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "hunt:", err)
		return ExitUsage
	}
	if *dir == "" {
		return fail(fmt.Errorf("no oracle: set CULINK_ORACLE or -oracle"))
	}
	h := &hunter{
		oracle: &oracle{dir: *dir, cache: map[[32]byte][]byte{}},
		seed:   *seed, units: max(1, *units), chains: *chains, keep: *keep, perClass: *perClass, shrink: *shrink,
		pools: map[int][]*member{}, kept: map[string]int{},
	}
	var err error
	if h.options, err = weigh(*weights); err != nil {
		return fail(err)
	}
	if *weights == "none" {
		h.chains = 0
	}
	if *constructs != "" {
		h.constructs = strings.Split(*constructs, ",")
	}
	tmp, err := os.MkdirTemp("", "hunt")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(tmp)
	if *reference == "" {
		*reference = h.oracle.tool("nvlink")
	}
	if h.reference, err = parseLinker(*reference, filepath.Join(tmp, "reference")); err != nil {
		return fail(err)
	}
	if *linker == "" {
		h.linker, err = conformance.BuildReference(context.Background(), tmp)
		*linker = "culink"
	} else {
		h.linker, err = parseLinker(*linker, filepath.Join(tmp, "linker"))
	}
	if err != nil {
		return fail(err)
	}
	h.command.reference, h.command.linker = *reference, *linker
	status := ExitSame
	for _, word := range strings.Split(*sms, ",") {
		sm, err := strconv.Atoi(word)
		if err != nil {
			return fail(err)
		}
		if *pool != "" {
			if h.pools[sm], err = readPool(*pool, word); err != nil {
				return fail(err)
			}
		}
		t := h.run(sm, *from, *n, max(1, *jobs), stderr)
		t.summary(stdout)
		if *show {
			for _, f := range slices.Concat(t.findings, t.refused) {
				fmt.Fprintf(stdout, "\n== trial %d: %s\n%s\n", f.trial.number, f.class, f.detail)
			}
		}
		if len(t.findings) > 0 {
			status = ExitDiffer
		}
	}
	return status
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
