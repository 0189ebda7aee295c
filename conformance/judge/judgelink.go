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

// All facets but one compare two outcomes. The facet sound asks nothing of the recorded
// outcome but that there is a cubin: it judges the output by the inputs (package
// sound). For that it needs the link itself.

// Link is [Judge] for an outcome of a link that is at hand. A judge that fails is a difference, with the place.
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

// scheduleKey ends the key of a function that differs in its control bits alone.
const scheduleKey = ".schedule"

// withoutForeignSchedules returns functions another key whose control bits are neither
// nvlink's nor the input's: those are no known difference, which a waiver may excuse.
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

// Asks reports whether facet f asks anything about a link of c for which another outcome is
// wanted. Where that is unsound itself, and c says so, nobody has to be sound.
func Asks(ctx context.Context, c *suite.Case, f Facet, link attempt.Link, want *attempt.Outcome) bool {
	if !f.Applies(want, c.Expect) {
		return false
	}
	return f != FacetSound || c.Unsound == "" || len(judgeSound(ctx, link, want)) == 0
}

// judgeSound returns what is not sound about an outcome. What cannot be judged is not.
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

// Sound judges an outcome by the link alone, whatever another linker does: nil when it
// is sound, or no cubin was asked for and none is written.
func Sound(ctx context.Context, link attempt.Link, got *attempt.Outcome) []Difference {
	unasked := false
	guarded(func() { // judgeSound says how this failed
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

// CountFunctions compares the functions of the files of an outcome with those of another. Files that cannot be compared
// have none; the facets say why.
func CountFunctions(want, got *attempt.Outcome) (functions codematch.Count) {
	guarded(func() {
		for name, file := range want.Files {
			functions.Add(codematch.Compare(file, got.Files[name]).Count)
		}
	})
	return functions
}
