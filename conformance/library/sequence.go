package library

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/lto"
)

// Random sequences of calls test how calls are answered after other calls have failed (CONF-050). Single recorded cases
// do not test this. A sequence draws its calls from the recorded cases, so all inputs exist. The real library answers it
// first.

// Trials holds the settings of "cuconform hunt" with -library and -calls.
type Trials struct {
	CommandLine
	Oracle  string // folder of the release's tools; the library under test uses its compilers
	N, From int    // numbers of the sequences
	Seed    uint64 // a seed always gives the same sequences
	Shrink  bool   // remove calls that are not needed to show a difference
}

// Hunt plays random sequences of calls on the library and on the real one. It prints each sequence that differs as a
// case, with the differences. It returns the status [commandline.Differs] if there was one.
func (t *Trials) Hunt(ctx context.Context, stdout io.Writer) (int, error) {
	return t.play(ctx, stdout, t.hunt)
}

func (t *Trials) hunt(ctx context.Context, child *Child, stdout io.Writer) (int, error) {
	cases, err := Load(t.folder())
	if err != nil {
		return 0, err
	}
	if cases, err = t.chosen(child, t.folder(), cases); err != nil {
		return 0, err
	}
	oracle, err := filepath.Abs(t.Oracle) // the library runs in another folder
	if err != nil {
		return 0, err
	}
	compiler, err := filepath.Abs(t.Real)
	if err != nil {
		return 0, err
	}
	child.Env = append(child.Env, input.PTXASVariable+"="+filepath.Join(oracle, "bin", "ptxas"), lto.Variable+"="+compiler)
	pool := newPool(cases)
	real, err := t.realChild(child)
	if err != nil {
		return 0, err
	}
	defer real.Close()
	report := &Report{}
	for number := t.From; number < t.From+t.N; number++ {
		c := pool.sequence(rand.New(rand.NewPCG(t.Seed, uint64(number))), number)
		v, err := beside(ctx, c, real, child)
		if err == nil && t.Shrink && len(v.Differences) > 0 {
			v, err = shrink(ctx, v, real, child)
		}
		if err != nil {
			return 0, err
		}
		if len(v.Differences) > 0 {
			if _, err := stdout.Write(append(Format([]*Case{v.Case}), '\n')); err != nil {
				return 0, err
			}
		}
		report.Verdicts = append(report.Verdicts, v)
	}
	if err := report.Write(stdout); err != nil {
		return 0, err
	}
	if report.Failed() {
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}

// beside plays a case on both libraries and judges the answers of the library under test by those of the real one.
func beside(ctx context.Context, c *Case, real, child Player) (Verdict, error) {
	if _, err := (recorder{real, c}).Play(ctx, c.script()); err != nil {
		return Verdict{}, err
	}
	answers, err := child.Play(ctx, c.script())
	return Judge(c, answers), err
}

// shrink removes calls, the last ones first, and options. It keeps a change if the facet of the first difference stays
// the same.
func shrink(ctx context.Context, v Verdict, real, child Player) (Verdict, error) {
	facet := v.Differences[0].Facet
	try := func(calls []Call) (bool, error) {
		w, err := beside(ctx, &Case{File: v.Case.File, Name: v.Case.Name, Rules: v.Case.Rules, Calls: calls}, real, child)
		if err != nil || len(w.Differences) == 0 || w.Differences[0].Facet != facet {
			return false, err
		}
		v = w
		return true, nil
	}
	for i := len(v.Case.Calls) - 1; i > 0; i-- {
		if _, err := try(slices.Delete(slices.Clone(v.Case.Calls), i, i+1)); err != nil {
			return v, err
		}
	}
	for i := len(v.Case.Calls[0].Words) - 1; i > 1; i-- {
		calls := slices.Clone(v.Case.Calls)
		calls[0].Words = slices.Delete(slices.Clone(calls[0].Words), i, i+1)
		if _, err := try(calls); err != nil {
			return v, err
		}
	}
	return v, nil
}

// A pool holds the parts of sequences.
type pool struct {
	options []string // words of creates
	adds    []Call
}

// newPool collects the options and the calls that add an input, each once. It omits the calls of corpus links, because
// their inputs reveal little about calls.
func newPool(cases []*Case) *pool {
	p := &pool{}
	seen := map[string]bool{}
	once := func(text string) bool {
		first := !seen[text]
		seen[text] = true
		return first
	}
	for _, c := range cases {
		if c.File == linksFile {
			continue
		}
		for _, call := range c.Calls {
			switch call.Words[0] {
			case "create":
				p.options = append(p.options, slices.DeleteFunc(slices.Clone(call.Words[1:]), func(word string) bool { return !once(word) })...)
			case "add", "add-part", "addfile":
				if once(call.String()) {
					p.adds = append(p.adds, Call{Words: call.Words})
				}
			}
		}
	}
	return p
}

// sequence generates a case: a link with few options and with valid and invalid inputs. The link may be completed and
// read at any time. At the end it is completed and read.
func (p *pool) sequence(random *rand.Rand, number int) *Case {
	c := &Case{File: "sequences", Name: fmt.Sprintf("sequence-%d", number), Rules: []string{"JIT-030"}}
	add := func(words ...string) { c.Calls = append(c.Calls, Call{Words: words}) }
	create := []string{"create", "-arch=sm_90"}
	for range random.IntN(4) {
		if random.IntN(2) == 0 {
			create = append(create, []string{"-lto", "-r", "-ptx"}[random.IntN(3)])
		} else {
			create = append(create, p.options[random.IntN(len(p.options))])
		}
	}
	add(create...)
	for range 1 + random.IntN(7) {
		switch n := random.IntN(20); {
		case n < 14:
			add(p.adds[random.IntN(len(p.adds))].Words...)
		case n < 16:
			add("complete")
		default:
			add([]string{"cubin", "ptx"}[random.IntN(2)])
		}
	}
	for _, word := range []string{"complete", "cubin", "ptx", "destroy"} {
		add(word)
	}
	return c
}
