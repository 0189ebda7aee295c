package hazard_test

import (
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/hazard/spoil"
)

// Most damaged schedules are found unsafe, and few are unknown. Those that are found safe fail on
// no path (MERC-141). TestVerdictsOnSpoiledSchedules of package conformance does the same with more
// functions.
func TestSpoiledSchedulesAreUnsafe(t *testing.T) {
	c := spoil.Campaign{Limit: 20_000, Report: func(kind string, f hazard.Function, at int, o spoil.Outcome, why string) {
		if o >= spoil.Untried {
			t.Errorf("%s of %s at %d: %v: %s", kind, f.Name, at, o, why)
		}
	}}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{
		"mercury/scoreboards/sm_100/1.out/out.cubin", "mercury/matrices/sm_120/1.out/out.cubin",
		"mercury/hints/sm_100/1.out/out.cubin", "mercury/operations/sm_90/1.out/out.cubin",
	} {
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		functions, err := hazard.Functions(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range functions {
			c.Spoil(fn, rng, 3)
		}
	}
	if sum := c.Sum(); sum[spoil.Unsafe] < 200 || sum[spoil.Unsafe] < 4*sum[spoil.Unknown] || sum[spoil.Harmless] == 0 {
		t.Error(sum)
	}
}
