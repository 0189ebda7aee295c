package main

import (
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

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/conformance/replay"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/show"
)

const reduceAbout = `Makes a link on which a linker fails smaller, and writes it as a case. CASE is one of the corpus: area/name, area/name/sm_80, or what a line of a run names: area/name sm_80 step 2. FILE is what to link, with -arch, or one file that culink --repro packed.`

// setupReduce defines the command that reduces a failing link (docs/reduce.md).
func setupReduce(flags *flag.FlagSet) commandline.Action {
	o := &reduceOptions{step: 1, time: 2 * time.Minute}
	flags.StringVar(&o.linker, "linker", "", "a `COMMAND` that takes nvlink's arguments (default: culink, built in)")
	o.trust.AddFlags(flags)
	flags.Func("keep-env", "keep this variable, a `NAME`, for the linker (repeatable)", func(name string) error {
		o.keptEnv = append(o.keptEnv, name)
		return nil
	})
	flags.StringVar(&o.reference, "reference", "", "compare with this `COMMAND`, or none (default: the live nvlink, else culink)")
	flags.StringVar(&o.oracle, "oracle", os.Getenv("CULINK_ORACLE"), "the `FOLDER` with NVIDIA's tools in bin (default: $CULINK_ORACLE)")
	flags.StringVar(&o.corpus.corpus, "corpus", "", "a `FOLDER` with another corpus than the built-in one")
	flags.StringVar(&o.facet, "facet", "", "the `FACET` that has to go on failing (default: the first that fails)")
	flags.StringVar(&o.key, "key", "", "the `KEY` of the difference that has to stay (default: the first)")
	commandline.Number(flags, &o.step, "step", 1, "which `STEP` of the case")
	flags.StringVar(&o.corpus.sm, "sm", "", "which `TARGET` of the case, such as 80 (default: its first)")
	flags.StringVar(&o.arch, "arch", "", "the `TARGET` of a link of files: sm_90")
	flags.StringVar(&o.options, "options", "", "more `WORDS` for the command line of a link of files")
	commandline.Span(flags, &o.time, "time", "`TIME` that the work may take")
	flags.StringVar(&o.out, "o", "reduced", "the corpus `FOLDER` for the case")
	flags.StringVar(&o.name, "name", "", "the `NAME` of the case (default: from facet and key)")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
		if err := commandline.Expect(args, 1, -1); err != nil {
			return 0, err
		}
		return o.run(ctx, args, stdout, stderr)
	}
}

type reduceOptions struct {
	linker, reference, oracle string
	trust                     sandbox.Trust
	keptEnv                   []string
	corpus                    selectionFlags
	facet, key, arch, options string
	step                      int
	time                      time.Duration
	out, name                 string
}

func (o *reduceOptions) run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	link, rules, err := o.link(args)
	if err != nil {
		return 0, err
	}
	linker, err := linkerUnderTest(o.linker)
	if err != nil {
		return 0, err
	}
	o.trust.Set(linker)
	linker.KeepEnv = o.keptEnv
	linker, end := linker.Pooled()
	defer end()
	reference, err := o.referenceLinker()
	if err != nil {
		return 0, err
	}
	if reference != nil {
		reference, end = reference.Pooled()
		defer end()
	}
	facets, err := judge.ParseFacets(o.facet)
	if err != nil {
		return 0, err
	}
	opt := reduce.Options{Key: o.key, Time: o.time, Progress: func(line string) { fmt.Fprintln(stderr, show.Line(line)) }}
	for _, facet := range facets {
		decide := reduce.Alone(linker)
		switch {
		case reference != nil:
			decide = reduce.Against(linker, reference, facet)
		case facet != judge.FacetSound:
			continue
		}
		result, err := reduce.Reduce(ctx, link, decide, opt)
		if errors.Is(err, reduce.ErrPasses) || errors.Is(err, reduce.ErrReference) && o.facet == "" {
			continue
		}
		if err != nil {
			return 0, err
		}
		return commandline.Differs, o.write(ctx, result, rules, reference, stdout)
	}
	fmt.Fprintln(stdout, reduce.ErrPasses)
	return commandline.OK, nil
}

// link reads the link that the arguments name: a case, a packed link, or files.
func (o *reduceOptions) link(args []string) (attempt.Link, []string, error) {
	if _, err := os.Stat(args[0]); err != nil {
		if words := linkWords().FindStringSubmatch(strings.Join(args, " ")); words != nil {
			return o.caseLink(words[1], words[2], words[3])
		}
		if len(args) == 1 { // a case may have any name
			id, sm, _ := strings.Cut(args[0], "/sm_")
			return o.caseLink(id, sm, "")
		}
	}
	if p, err := replay.Open(args[0]); len(args) == 1 && err == nil {
		return attempt.Link{Before: p.Inputs, Argv: p.Args}, nil, nil
	}
	if o.arch == "" {
		return attempt.Link{}, nil, errors.New("a link of files wants -arch")
	}
	link := attempt.Link{Before: attempt.Files{}, Argv: append([]string{"-arch=" + o.arch}, strings.Fields(o.options)...)}
	for i, file := range args {
		data, err := os.ReadFile(file)
		if err != nil {
			return link, nil, err
		}
		name := filepath.Base(file)
		if _, taken := link.Before[name]; taken {
			name = strconv.Itoa(i) + name
		}
		link.Before[name] = data
		link.Argv = append(link.Argv, name)
	}
	link.Argv = append(link.Argv, "-o", "out.cubin")
	return link, nil, nil
}

// linkWords matches the name of a link in the form in which a run prints failures: a case, a slash or a blank and the
// target, and a step. The rest of such a line is ignored.
var linkWords = late.Regexp(`^(?:FAIL )?([^/ ]+/[^/ ]+)(?:[/ ]sm_([0-9]+[a-z]?))?(?: step ([0-9]+)(?:[ :].*)?)?$`)

// caseLink reads a step of a case. If sm or step is empty, the flags determine it.
func (o *reduceOptions) caseLink(id, sm, step string) (link attempt.Link, rules []string, err error) {
	if sm == "" {
		sm = strings.TrimPrefix(o.corpus.sm, "sm_")
	}
	if step != "" {
		if o.step, err = strconv.Atoi(step); err != nil {
			return link, nil, err
		}
	}
	cases, err := suite.LoadCases(o.corpus.files())
	if err != nil {
		return link, nil, err
	}
	i := slices.IndexFunc(cases, func(c *suite.Case) bool { return c.ID() == id })
	if i < 0 {
		return link, nil, fmt.Errorf("no file and no case %q", id)
	}
	c := cases[i]
	if sm == "" {
		sm = c.Targets[0]
	}
	if !slices.Contains(c.Targets, sm) {
		return link, nil, fmt.Errorf("case %s has no target sm_%s, but sm_%s", id, sm, strings.Join(c.Targets, ", sm_"))
	}
	r, err := suite.LoadRecording(o.corpus.files(), c, sm)
	if err != nil {
		return link, nil, err
	}
	if o.step < 1 || o.step > len(r.Steps) {
		return link, nil, fmt.Errorf("case %s has steps 1 to %d", id, len(r.Steps))
	}
	return attempt.Link{Before: r.Before(o.step - 1), Argv: c.Argv(o.step-1, sm)}, c.Rules, nil
}

// referenceLinker returns the linker to compare with, or nil for none.
func (o *reduceOptions) referenceLinker() (*sandbox.Linker, error) {
	switch {
	case o.reference == "none":
		return nil, nil
	case o.reference != "":
		return linkerUnderTest(o.reference)
	case o.oracle != "":
		return &sandbox.Linker{Command: []string{filepath.Join(o.oracle, "bin", "nvlink")}, Limits: sandbox.DefaultLimits}, nil
	case o.linker == "":
		return nil, nil // culink is the linker under test
	}
	return builtIn()
}

// write writes the reduced link as a case.
func (o *reduceOptions) write(ctx context.Context, result *reduce.Result, rules []string, reference *sandbox.Linker, stdout io.Writer) error {
	d := result.Difference
	sm, ok := reduce.TargetOf(result.Link.Argv)
	if !ok {
		sm = strings.TrimPrefix(o.arch, "sm_")
	}
	name := o.name
	if name == "" {
		name = caseName(string(d.Facet) + "-" + d.Key)
	}
	c := reduce.Case{ID: "reduced/" + name, SM: sm, Title: show.Line(d.String()), Rules: rules, Texts: result.Texts}
	folder, err := c.Write(o.out, result.Link)
	if err != nil {
		return err
	}
	if reference != nil {
		want, err := reference.Run(ctx, result.Link.Before, result.Link.Argv)
		if err != nil {
			return err
		}
		if err := c.Record(o.out, result.Link, want); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "%s\n%s: %d links tried\n", show.Line(d.String()), show.Line(folder), result.Tried)
	return err
}

// caseName makes the name of a folder from a text.
func caseName(text string) string {
	word := func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	name := strings.Join(strings.FieldsFunc(text, word), "-")
	return name[:min(len(name), 60)]
}
