package judge

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/cubin"
)

// For the facet sound, package sound checks the output against the inputs of the link. The wanted outcome only tells
// whether there should be a cubin.

// Link does the same as [Compare] for a known link, for all facets except device. A panic of a judge becomes a
// difference with the position of the panic.
func Link(ctx context.Context, f Facet, expect suite.Expectation, link attempt.Link, want, got *attempt.Outcome) (differences []Difference) {
	failure := guarded(func() {
		differences = judgeLink(ctx, f, expect, link, want, got)
		noteCauses(differences, want, got)
	})
	if failure != "" {
		return []Difference{{Facet: f, Key: judgeKey, Want: "a verdict", Got: failure}}
	}
	return differences
}

func judgeLink(ctx context.Context, f Facet, expect suite.Expectation, link attempt.Link, want, got *attempt.Outcome) []Difference {
	differences := Compare(f, expect, want, got)
	if f == FacetImage || f == FacetBytes {
		return withoutForeignSchedules(ctx, differences, link, want, got)
	}
	if f != FacetSound || len(differences) > 0 || !f.Applies(want, expect) {
		return differences
	}
	for _, d := range judgeSound(ctx, link, got) {
		differences = append(differences, Difference{Facet: FacetSound, Key: d.Key, Want: d.Want, Got: d.Got})
	}
	return differences
}

// scheduleKey ends the key of a difference about a function that differs only in its control bits.
const scheduleKey = ".schedule"

// withoutForeignSchedules changes the key for functions whose control bits are neither those of nvlink nor those of the
// input. So no waiver for known schedules applies to them.
func withoutForeignSchedules(ctx context.Context, differences []Difference, link attempt.Link, want, got *attempt.Outcome) []Difference {
	for i := range differences {
		d := &differences[i]
		name, section, ok := strings.Cut(d.Key, ":section")
		section, isSchedule := strings.CutSuffix(section, scheduleKey)
		if !ok || !isSchedule {
			continue
		}
		var inputs [][]byte
		if asked, err := link.Asked(ctx); err == nil {
			for _, in := range asked.Inputs {
				inputs = append(inputs, codematch.Codes(in.Data)[section]...)
			}
		}
		wants, gots := codematch.Codes(want.Files[name])[section], codematch.Codes(got.Files[name])[section]
		for k, code := range gots {
			if k >= len(wants) || !codematch.Chosen(wants[k], code, inputs) {
				d.Key = name + ":section" + section + ".control"
				d.Want, d.Got = "control bits of nvlink or of the input", "others"
			}
		}
	}
	return differences
}

// Asks reports whether facet f judges a link of c with this wanted outcome. The facet sound does not judge it if the
// wanted outcome is unsound and c declares that.
func Asks(ctx context.Context, c *suite.Case, f Facet, link attempt.Link, want *attempt.Outcome) bool {
	if !f.Applies(want, c.Expect) {
		return false
	}
	return f != FacetSound || c.Unsound == "" || len(judgeSound(ctx, link, want)) == 0
}

// judgeSound returns the reasons why an outcome is not sound. If an outcome cannot be judged, that is a reason too.
func judgeSound(ctx context.Context, link attempt.Link, got *attempt.Outcome) (findings []sound.Finding) {
	if failure := guarded(func() { findings = findUnsound(ctx, link, got) }); failure != "" {
		return []sound.Finding{{Key: judgeKey, Want: "a verdict", Got: failure}}
	}
	return findings
}

func findUnsound(ctx context.Context, link attempt.Link, got *attempt.Outcome) []sound.Finding {
	asked, err := link.Asked(ctx)
	if err != nil {
		return []sound.Finding{{Key: "link", Want: "one that can be judged", Got: err.Error()}}
	}
	output := path.Clean(filepath.ToSlash(asked.Output))
	data, ok := got.Files[output]
	if !ok {
		return []sound.Finding{{Key: output, Want: "written", Got: "not written"}}
	}
	findings := sound.Check(*asked.Link, data)
	for i := range findings {
		findings[i].Key = output + ":" + findings[i].Key
	}
	return findings
}

// Sound judges an outcome by the link alone, without a wanted outcome. It returns nil if the outcome is sound, or if the
// link neither requests nor writes a cubin.
func Sound(ctx context.Context, link attempt.Link, got *attempt.Outcome) []Difference {
	unasked := false
	guarded(func() { // judgeSound reports a panic
		_, err := link.Asked(ctx)
		unasked = errors.Is(err, sound.ErrNoCubin) || !hasCubin(got)
	})
	if unasked {
		return nil
	}
	var out []Difference
	for _, d := range judgeSound(ctx, link, got) {
		out = append(out, Difference{Facet: FacetSound, Key: d.Key, Want: d.Want, Got: d.Got})
	}
	return out
}

// hasCubin reports whether a link wrote a cubin.
func hasCubin(o *attempt.Outcome) bool {
	for _, name := range o.Files.Names() {
		f, err := cubin.Open(name, o.Files[name])
		if err == nil && (f.Type == cubin.TypeExecutable || f.Type == cubin.TypeRelocatable) {
			return true
		}
	}
	return false
}

// CountFunctions compares the functions in the files of two outcomes. Files that cannot be compared do not count. The
// facets show why they cannot.
func CountFunctions(want, got *attempt.Outcome) (functions codematch.Count) {
	guarded(func() {
		for name, file := range want.Files {
			functions.Add(codematch.Compare(file, got.Files[name]).Count)
		}
	})
	return functions
}
