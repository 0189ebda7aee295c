package conformance

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	spoiltable "github.com/culink/culink/conformance/spoils"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	hazardspoil "github.com/culink/culink/linker/hazard/spoil"
)

// spoiledOf is the number of functions of which one is spoiled. The code of a function determines whether it is chosen,
// so a new case does not change the choice among the others.
const spoiledOf = 7

// For each way to make a schedule wrong, the checker reports the result as unsafe or unknown, or the result is harmless
// on every path (MERC-141).
func TestVerdictsOnSpoiledSchedules(t *testing.T) {
	eras := []struct {
		title string
		since int
		hazardspoil.Campaign
	}{{"sm_75 to sm_90", 75, hazardspoil.Campaign{Limit: 20_000}}, {"sm_100 to sm_121", 100, hazardspoil.Campaign{Limit: 20_000}}}
	seen := make(map[uint64]bool)
	if err := eachOutput(func(f hazard.Function) {
		seed := fnv.New64a()
		seed.Write(f.Text)
		chosen := seed.Sum64()
		if chosen%spoiledOf != 0 || seen[chosen] {
			return
		}
		seen[chosen] = true
		rng := rand.New(rand.NewPCG(chosen, uint64(f.SM)))
		for i := len(eras) - 1; i >= 0; i-- {
			if f.SM >= eras[i].since {
				eras[i].Spoil(f, rng, 1)
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for i := range eras {
		e := &eras[i]
		if sum := e.Sum(); sum[hazardspoil.Hole] > 0 || sum[hazardspoil.Untried] > 0 || sum[hazardspoil.Unsafe] < 500 {
			t.Errorf("%s: %v", e.title, sum)
		}
		fmt.Fprintf(&b, "### %s\n\n", e.title)
		e.Write(&b)
		b.WriteByte('\n')
	}
	if err := spoiltable.WriteText("verdicts", strings.TrimSuffix(b.String(), "\n")); err != nil {
		t.Error(err)
	}
}

// eachOutput calls use for the functions in nvlink's outputs in the corpus.
func eachOutput(use func(f hazard.Function)) error {
	return fs.WalkDir(corpus.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".cubin" || !strings.Contains(name, ".out/") {
			return err
		}
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			return err
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			return nil // cases about damage
		}
		functions, err := hazard.Functions(f)
		if err != nil {
			return nil
		}
		for _, fn := range functions {
			use(fn)
		}
		return nil
	})
}
