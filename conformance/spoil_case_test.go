package conformance

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// A linker that lacks the behaviour that a case tests must fail the case. Such linkers cannot be written for every case,
// but the command line shows much of the behaviour. So this test links every case with changed versions of culink: one
// ignores an option, one omits an input, and one reverses the order of the inputs. If none of these applies, a linker
// copies its first input. Each case must fail at least one of these linkers, and must fail for each option that it uses.

// A caseSpoil is a way to make the links of a case wrong.
type caseSpoil struct {
	name     string
	isOption bool // an option is ignored; otherwise the inputs are changed
	apply    func(argv []string) []string
}

// anotherInput stands for all changes of inputs. A case needs to notice only one of them.
const anotherInput = "links other inputs"

// indifferent lists options that have no effect in a case, because the case tests exactly that.
var indifferent = map[string]string{
	"archive/behind-device-runtime r":                "the link is refused with and without it (LOAD-044)",
	"archive/behind-device-runtime lcudadevrt":       "the library is named twice (LOAD-044)",
	"archive/machine-of-library Lriscv":              "RISCV64 is no machine before 13.3, and the command line is refused (LOAD-022)",
	"archive/library-files lboth":                    "a shared library of the name comes first, and gives nothing to link (LOAD-022)",
	"archive/behind-device-runtime L.":               "the library is named twice (LOAD-044)",
	"options/null-pointer dont-reserve-null-pointer": "it is the default (LAYOUT-110)",
	"options/verbose-whole-program v":                "the files are of 13.3, and 13.0 refuses them (KIT-750)",
	"options/verbose-whole-program force-rela":       "the files are of 13.3, and 13.0 refuses them (KIT-750)",
	"options/verbose-whole-program r":                "the files are of 13.3, and 13.0 refuses them (KIT-750)",
	"options/stray-quote tool-name":                  "what is said while parsing does not know it (OPT-018)",
	"shared/whole-program-shared-debug g":            "the memory stays with and without it (LAYOUT-053)",
	"damaged/fields-100 r":                           "of the files with -r only later ones, which are not spoiled, differ (DIAG-302)",
	"options/every-option host-linker-options":       "it is for the host linker, which nvlink does not call (OPT-001)",
	"info/cta-groups-of-replaced g":                  "the order is the same with it (INFO-052)",
	"merge/inner-functions-of-one-name r":            "the merge fails with and without it (MERGE-026)",
	"merge/local-names-and-kernels r":                "the merge fails with and without it (MERGE-380)",
	"messages/kernel-and-function-names r":           "the merge fails with and without it (DIAG-106)",
	"texture/weak-references r":                      "the merge fails with and without it (MERGE-383)",
	"relocatable/constant-too-much r":                "an executable is refused in the same words (LAYOUT-107)",
}

// optionName returns the name of the option in a word. It returns "" for other words and for options that every link
// needs.
func optionName(word string) string {
	if len(word) < 2 || word[0] != '-' {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	switch name {
	case "arch", "o", "output-file", "optf":
		return ""
	}
	return name
}

// caseSpoils returns the spoils that apply to a command line.
func caseSpoils(argv []string, before attempt.Files) (list []caseSpoil) {
	var inputs []int
	for i, word := range argv {
		if name := optionName(word); name != "" {
			list = append(list, caseSpoil{"ignores -" + name, true, func(argv []string) []string {
				return slices.DeleteFunc(slices.Clone(argv), func(w string) bool { return optionName(w) == name })
			}})
		} else if _, ok := before[word]; ok && (i == 0 || argv[i-1] != "-o") {
			inputs = append(inputs, i)
		}
	}
	for _, i := range inputs {
		list = append(list, caseSpoil{fmt.Sprintf("loses input %d", i), false, func(argv []string) []string {
			return slices.Delete(slices.Clone(argv), i, i+1)
		}})
	}
	if len(inputs) > 1 {
		list = append(list, caseSpoil{"reverses its inputs", false, func(argv []string) []string {
			argv = slices.Clone(argv)
			for k := range inputs[:len(inputs)/2] {
				a, b := inputs[k], inputs[len(inputs)-1-k]
				argv[a], argv[b] = argv[b], argv[a]
			}
			return argv
		}})
	}
	return list
}

// copied returns the outcome of a linker that copies its first input to its output.
func copied(r *suite.Recording, c *suite.Case, sm string) *attempt.Outcome {
	o := &attempt.Outcome{Files: attempt.Files{}}
	argv := c.Argv(0, sm)
	for i, word := range argv {
		data, ok := r.Before(0)[word]
		if k := slices.Index(argv, "-o"); ok && k >= 0 && k+1 < len(argv) && i != k+1 {
			o.Files[argv[k+1]] = data
			break
		}
	}
	return o
}

// trySpoils records the spoils that a case notices on a target: each ignored option, and one change of the inputs.
func trySpoils(ctx context.Context, culink *sandbox.Linker, waivers []plan.Waiver, c *suite.Case, sm string, noticed map[string]bool) error {
	r, err := suite.LoadRecording(corpus.Files, c, sm)
	if err != nil {
		return err
	}
	fails := func(step int, o *attempt.Outcome) bool {
		for _, f := range []judge.Facet{judge.FacetExit, judge.FacetMessages, judge.FacetFile, judge.FacetBytes} {
			verdicts := []judge.Verdict{{Case: c.ID(), SM: sm, Facet: f, Differences: judge.Compare(f, c.Expect, &r.Steps[step], o)}}
			plan.NewWaiverUse(waivers).Apply(verdicts)
			if !verdicts[0].Pass() {
				return true
			}
		}
		return false
	}
	const most = 12 // steps of a case that is a table
	for i := range min(len(c.Steps), most) {
		argv := c.Argv(i, sm)
		for _, s := range caseSpoils(argv, r.Before(i)) {
			if noticed[s.name] || !s.isOption && noticed[anotherInput] {
				continue
			}
			o, err := culink.Run(ctx, r.Before(i), s.apply(argv))
			if err != nil {
				return err
			}
			fails := fails(i, o)
			noticed[s.name] = fails
			noticed[anotherInput] = noticed[anotherInput] || fails && !s.isOption
		}
	}
	noticed["copies its first input"] = fails(0, copied(r, c, sm))
	return nil
}

// Every case fails at least one spoil. The test tries a third of the cases, or all of them if CULINK_ALL_SPOILS is set.
func TestEveryCaseFailsASpoil(t *testing.T) {
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	waivers, err := plan.LoadWaivers(corpus.Files, nil)
	if err != nil {
		t.Fatal(err)
	}
	culink, end := reference(t).Pooled()
	defer end()
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, c := range cases {
		if !inSpoilSample(c.ID()) {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			noticed := map[string]bool{} // by spoil
			for _, sm := range slices.Compact([]string{c.Targets[0], c.Targets[len(c.Targets)-1]}) {
				if err := trySpoils(t.Context(), culink, waivers, c, sm, noticed); err != nil {
					t.Error(err)
					return
				}
			}
			if !slices.Contains(slices.Collect(maps.Values(noticed)), true) {
				t.Errorf("%s notices no spoil", c.ID())
			}
			for name, is := range noticed {
				if option, isOption := strings.CutPrefix(name, "ignores -"); isOption && is == (indifferent[c.ID()+" "+option] != "") {
					t.Errorf("%s: a linker that %s: noticed %v", c.ID(), name, is)
				}
			}
		})
	}
	group.Wait()
}
