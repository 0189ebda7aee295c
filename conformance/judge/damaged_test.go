package judge

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// damagedCases lists cases whose links together have every kind of section.
var damagedCases = []string{"basic/two-files", "constant/compiler-generated", "weak/kernel-and-strong", "stack/mutual-recursion", "mercury/weak-jump-tables", "global/texture-and-surface", "basic/line-and-debug", "relocatable/twice"}

// A judgedStep is a recorded step that several tests damage.
type judgedStep struct {
	name string
	link attempt.Link
	want *attempt.Outcome
}

func judgedSteps(t testing.TB) (steps []judgedStep) {
	t.Helper()
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if !slices.Contains(damagedCases, c.ID()) {
			continue
		}
		for _, sm := range c.Targets {
			r, err := suite.LoadRecording(corpus.Files, c, sm)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Steps {
				link := attempt.Link{Before: r.Before(i), Argv: c.Argv(i, sm)}
				steps = append(steps, judgedStep{fmt.Sprintf("%s sm_%s step %d", c.ID(), sm, i+1), link, &r.Steps[i]})
			}
		}
	}
	return steps
}

// judgeDamaged damages the outputs or the inputs of a step. A seed determines the damage. It then judges every facet
// that reads them, and returns the panic of a judge, if there is one.
func judgeDamaged(ctx context.Context, s judgedStep, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 5))
	got, link := *s.want, s.link
	if random.IntN(3) > 0 {
		got.Files = damagedFiles(random, got.Files)
	} else {
		link.Before = damagedFiles(random, link.Before)
	}
	for _, f := range []Facet{FacetFile, FacetImage, FacetBytes, FacetSound} {
		for _, d := range Link(ctx, f, suite.ExpectRecorded, link.Remembered(ctx), s.want, &got) {
			if d.Key == judgeKey {
				return d.Got
			}
		}
	}
	return ""
}

// damagedFiles returns files with some bytes changed: fields of the header and of the section table, and random bytes.
func damagedFiles(random *rand.Rand, files attempt.Files) attempt.Files {
	damaged := maps.Clone(files)
	for name, data := range files {
		if len(data) < 64 || random.IntN(2) == 0 && len(files) > 1 {
			continue
		}
		data = slices.Clone(data)
		sections := int(binary.LittleEndian.Uint64(data[40:]))
		for range 1 + random.IntN(3) {
			at := random.IntN(len(data))
			switch {
			case random.IntN(8) == 0:
				at = random.IntN(64)
			case random.IntN(2) == 0 && sections > 0 && sections+64 < len(data):
				at = sections + random.IntN(len(data)-sections)/4*4
			}
			values := []byte{0, 1, 2, 3, 8, 0x7f, 0x80, 0xff, byte(random.Uint32()), data[at] + 1, data[at] - 1, '.'}
			data[at] = values[random.IntN(len(values))]
		}
		damaged[name] = data
	}
	return damaged
}

// No judge panics, whatever the bytes of an output or an input are (CONF-015).
func TestDamagedOutputsAreJudged(t *testing.T) {
	steps := judgedSteps(t)
	for seed := range uint64(60) {
		s := steps[seed%uint64(len(steps))]
		if failure := judgeDamaged(t.Context(), s, seed); failure != "" {
			t.Errorf("%s, seed %d: %s", s.name, seed, failure)
		}
	}
}

// If a judge panics, the verdict is a difference that names the source line (CONF-015).
func TestAFailedJudgeIsADifference(t *testing.T) {
	s := judgedSteps(t)[0]
	s.link.Known = func() (*attempt.Asked, error) {
		var nothing *attempt.Asked
		return &attempt.Asked{Output: nothing.Output}, nil
	}
	for _, differences := range [][]Difference{
		Link(t.Context(), FacetSound, suite.ExpectRecorded, s.link, s.want, s.want),
		Sound(t.Context(), s.link, s.want),
	} {
		if len(differences) != 1 || differences[0].Key != judgeKey || !strings.Contains(differences[0].Got, "judge/damaged_test.go:") {
			t.Errorf("%+v", differences)
		}
	}
}

// FuzzJudge does the same as TestDamagedOutputsAreJudged for any seed.
func FuzzJudge(f *testing.F) {
	steps := judgedSteps(f)
	f.Add(uint8(0), uint64(1))
	f.Fuzz(func(t *testing.T, which uint8, seed uint64) {
		s := steps[int(which)%len(steps)]
		if failure := judgeDamaged(t.Context(), s, seed); failure != "" {
			t.Fatalf("%s: %s", s.name, failure)
		}
	})
}
