package hazard

import (
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/sass"
)

// outputs calls use for functions of what nvlink wrote in the corpus, one file of every
// n.
func outputs(t *testing.T, every int, use func(file string, f Function)) {
	t.Helper()
	n := 0
	err := fs.WalkDir(corpus.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".cubin") || !strings.Contains(name, ".out/") || strings.HasPrefix(name, "damaged/") {
			return err
		}
		if n++; n%every != 0 {
			return nil
		}
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			return err
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			return nil // cases about damage
		}
		functions, err := Functions(f)
		if err != nil {
			return nil
		}
		for _, fn := range functions {
			use(name, fn)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// MERC-141: no function that nvlink wrote is unsafe, and of most for sm_100 and later it is
// known that they are safe.
func TestOutputsAreSafe(t *testing.T) {
	count := map[Verdict]int{}
	outputs(t, 1, func(file string, f Function) {
		if generationOf(f.SM) == nil {
			return
		}
		r := Check(f)
		count[r.Verdict]++
		if r.Verdict == Unsafe {
			t.Errorf("%s, %s: %v", file, f.Name, r.Findings)
		}
	})
	t.Logf("%d safe, %d unknown, %d unsafe", count[Safe], count[Unknown], count[Unsafe])
	if count[Safe] < 1000 || count[Unknown]*5 > count[Safe] {
		t.Errorf("%d functions are safe, of %d it is not known", count[Safe], count[Unknown])
	}
}

// setField returns x with other bits.
func setField(x sass.Instruction, at, width uint, v uint64) sass.Instruction {
	mask := (uint64(1)<<width - 1) << (at - 64)
	x.High = x.High&^mask | v<<(at-64)
	return x
}

// A spoil changes the schedule of one instruction.
type spoil struct {
	name  string
	apply func(rng *rand.Rand, x sass.Instruction) sass.Instruction
}

var spoils = []spoil{
	{"a wait is removed", func(rng *rand.Rand, x sass.Instruction) sass.Instruction { return setField(x, 116, 6, 0) }},
	{"a bit of the wait mask is cleared", func(rng *rand.Rand, x sass.Instruction) sass.Instruction {
		w := waits(x)
		return setField(x, 116, 6, w&(w-1))
	}},
	{"results are counted on another scoreboard", func(rng *rand.Rand, x sass.Instruction) sass.Instruction {
		if b := writeBoard(x); b >= 0 {
			return setField(x, 110, 3, uint64(b+1)%6)
		}
		return x
	}},
	{"results are not counted", func(rng *rand.Rand, x sass.Instruction) sass.Instruction { return setField(x, 110, 3, 7) }},
	{"operands are not counted", func(rng *rand.Rand, x sass.Instruction) sass.Instruction { return setField(x, 113, 3, 7) }},
	{"operands are counted on another scoreboard", func(rng *rand.Rand, x sass.Instruction) sass.Instruction {
		if b := readBoard(x); b >= 0 {
			return setField(x, 113, 3, uint64(b+1)%6)
		}
		return x
	}},
	{"the stall is one cycle", func(rng *rand.Rand, x sass.Instruction) sass.Instruction { return setField(x, 105, 4, 1) }},
}

// MERC-141: spoiled schedules are found, of lost waits and counts of results most. The spoils
// are of one instruction each, at random, in functions that are safe; many change nothing, as
// where nothing uses what is no longer counted.
func TestSpoiledSchedulesAreUnsafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type tally struct{ spoiled, found, unknown int }
	count := map[string]*tally{}
	for _, s := range spoils {
		count[s.name] = &tally{}
	}
	outputs(t, 7, func(file string, f Function) {
		if len(f.Text) < sass.Size || len(f.Text) > 1<<13 || Check(f).Verdict != Safe {
			return
		}
		for _, s := range spoils {
			n := len(f.Text) / sass.Size
			for range 20 { // until it changes something
				i := rng.IntN(n)
				x := sass.Decode(f.Text[i*sass.Size:])
				y := s.apply(rng, x)
				if x == y || x.Opcode() == 0x918 {
					continue
				}
				spoiled := f
				spoiled.Text = append(y.Append(append([]byte(nil), f.Text[:i*sass.Size]...)), f.Text[(i+1)*sass.Size:]...)
				c := count[s.name]
				c.spoiled++
				switch Check(spoiled).Verdict {
				case Unsafe:
					c.found++
				case Unknown:
					c.unknown++
				}
				break
			}
		}
	})
	all, found := 0, 0
	for _, s := range spoils {
		c := count[s.name]
		t.Logf("%s: %d of %d unsafe, %d unknown", s.name, c.found, c.spoiled, c.unknown)
		all += c.spoiled
		found += c.found
	}
	if all < 500 || found*2 < all {
		t.Errorf("%d of %d are found", found, all)
	}
}
