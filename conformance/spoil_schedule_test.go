package conformance

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	spoiltable "github.com/culink/culink/conformance/spoils"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/suite/suitetest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// A wrong schedule makes a program fail occasionally: code reads a value before it is available, or overwrites one while
// it is read. These spoils change only control bits, in three functions: one whose scoreboards nvlink assigns anew, one
// where culink keeps those of the input, and another one. A run must notice each spoil despite the waivers of culink.

// A control holds the control bits of an instruction.
type control struct{ bits uint32 }

const (
	controlAt = 41 // bit in the second word
	stallBits = 0xf
	noBoard   = 7
)

func (c control) writes() uint32 { return c.bits >> 5 & 7 }
func (c control) reads() uint32  { return c.bits >> 8 & 7 }
func (c control) waits() uint32  { return c.bits >> 11 & 0x3f }

func (c *control) setWrites(board uint32) { c.bits = c.bits&^(7<<5) | board<<5 }
func (c *control) setReads(board uint32)  { c.bits = c.bits&^(7<<8) | board<<8 }
func (c *control) setWaits(mask uint32)   { c.bits = c.bits&^(0x3f<<11) | mask<<11 }
func (c *control) setStall(cycles uint32) { c.bits = c.bits&^stallBits | cycles }

// controlsOf reads the control bits of code, and put writes them back.
func controlsOf(code []byte) (list []control) {
	for ; len(code) >= 16; code = code[16:] {
		list = append(list, control{uint32(binary.LittleEndian.Uint64(code[8:]) >> controlAt)})
	}
	return list
}

func put(code []byte, list []control) {
	for i, c := range list {
		word := code[16*i+8:]
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)&(1<<controlAt-1)|uint64(c.bits)<<controlAt)
	}
}

// scheduleSpoils lists changes of control bits. A change returns false if it does not apply.
var scheduleSpoils = []struct {
	name string
	do   func(list []control) bool
}{
	{"one load's wait dropped", func(list []control) bool {
		i := slices.IndexFunc(list, func(c control) bool { return c.waits() != 0 })
		if i >= 0 {
			list[i].setWaits(0)
		}
		return i >= 0
	}},
	{"no waits at all", func(list []control) bool {
		any := false
		for i := range list {
			any = any || list[i].waits() != 0
			list[i].setWaits(0)
		}
		return any
	}},
	{"a wait for another scoreboard", func(list []control) bool {
		i := slices.IndexFunc(list, func(c control) bool { return c.waits() != 0 })
		if i >= 0 {
			w := list[i].waits()
			list[i].setWaits(w<<1&0x3f | w>>5)
		}
		return i >= 0
	}},
	{"a scoreboard reused while pending", func(list []control) bool {
		first, any := slices.IndexFunc(list, func(c control) bool { return c.writes() != noBoard }), false
		for i := first + 1; first >= 0 && i < len(list); i++ {
			if w := list[i].writes(); w != noBoard && w != list[first].writes() {
				list[i].setWrites(list[first].writes())
				any = true
			}
		}
		return any
	}},
	{"a load on no scoreboard", func(list []control) bool {
		for i := 1; i < len(list); i++ { // the first instruction loads the stack pointer, which may be unused
			if list[i].writes() != noBoard {
				list[i].setWrites(noBoard)
				return true
			}
		}
		return false
	}},
	{"an operand overwritten before it is read", func(list []control) bool {
		any := false
		for i := range list {
			any = any || list[i].reads() != noBoard
			list[i].setReads(noBoard)
		}
		return any
	}},
	{"every stall one cycle", func(list []control) bool {
		for i := range list {
			list[i].setStall(1)
		}
		return len(list) > 0
	}},
}

// scheduled lists the functions of the corpus that the spoils change.
var scheduled = []struct{ id, sm, kind, function string }{
	{"mercury/scoreboards", "100", "scoreboards handed out anew", "_Z6choosePi"},
	{"mercury/scoreboards", "100", "scoreboards handed out anew, a jump table", "_Z5jumpsPi"},
	{"mercury/matrices", "100", "scoreboards handed out anew", "_Z7doublesPdPKdS1_i"},
	{"mercury/matrices", "120", "scoreboards handed out anew", "_Z7doublesPdPKdS1_i"},
	{"mercury/exit-guards", "120", "scoreboards after barriers", "_Z5earlyPii"},
	{"mercury/scoreboards", "100", "another function", "_Z5callsPi"},
	{"mercury/hints", "100", "scoreboards handed out anew", "_Z15cutlass_productILi2EEvPKjPfi"},
}

// harmless lists the spoils that do not change the behaviour of a case, because nothing overwrites the operands of its
// stores later. This is proven (MERC-141), so the facet sound accepts them.
var harmless = map[string]string{"mercury/scoreboards": "an operand overwritten before it is read"}

func TestSpoiledSchedulesAreNoticed(t *testing.T) {
	waivers, err := plan.LoadWaivers(corpus.Files, nil)
	if err != nil {
		t.Fatal(err)
	}
	culink := reference(t)
	var rows []spoiltable.Row
	for _, f := range scheduled {
		c := suitetest.Case(t, f.id)
		r, err := suite.LoadRecording(corpus.Files, c, f.sm)
		if err != nil {
			t.Fatal(err)
		}
		link := attempt.Link{Before: r.Before(0), Argv: c.Argv(0, f.sm)}
		good, err := culink.Run(t.Context(), link.Before, link.Argv)
		if err != nil {
			t.Fatal(err)
		}
		for name := range good.Files {
			failed := func(o *attempt.Outcome) (facets []string) {
				for _, facet := range judge.Facets {
					verdicts := []judge.Verdict{{Case: f.id, SM: f.sm, Facet: facet, Differences: judge.Link(t.Context(), facet, c.Expect, link, &r.Steps[0], o)}}
					plan.NewWaiverUse(waivers).Apply(verdicts)
					if !verdicts[0].Pass() {
						facets = append(facets, string(facet))
					}
				}
				return facets
			}
			if facets := failed(good); facets != nil {
				t.Fatalf("%s: culink fails %q", f.id, facets)
			}
			for _, s := range scheduleSpoils {
				o := suitetest.Clone(good)
				file, err := cubin.Open(name, o.Files[name])
				if err != nil {
					t.Fatal(err)
				}
				section := file.Section(".text." + f.function)
				if section == nil {
					continue
				}
				code := o.Files[name][section.Offset : section.Offset+section.Size]
				list := controlsOf(code)
				if !s.do(list) {
					continue
				}
				put(code, list)
				if bytes.Equal(o.Files[name], good.Files[name]) {
					t.Errorf("%s: %s changes nothing", f.function, s.name)
				}
				facets := failed(o)
				if !slices.Contains(facets, string(judge.FacetImage)) || !slices.Contains(facets, string(judge.FacetBytes)) {
					t.Errorf("%s of %s sm_%s: %s fails only %q", f.function, f.id, f.sm, s.name, facets)
				}
				if !slices.Contains(facets, string(judge.FacetSound)) && harmless[f.id] != s.name {
					t.Errorf("%s of %s sm_%s: %s is sound", f.function, f.id, f.sm, s.name)
				}
				rows = append(rows, spoiltable.Row{Kind: s.name + ": " + f.kind, Case: f.id + " sm_" + f.sm, Facets: facets})
			}
		}
	}
	const least = 21 // seven kinds, in three functions
	if len(rows) < least {
		t.Errorf("only %d spoils", len(rows))
	}
	if !t.Failed() {
		if err := spoiltable.Write("schedule", rows); err != nil {
			t.Error(err)
		}
	}
}

// Reading control bits and writing them back changes nothing.
func TestControls(t *testing.T) {
	code := make([]byte, 64)
	for i := range code {
		code[i] = byte(i * 37)
	}
	again := bytes.Clone(code)
	put(again, controlsOf(again))
	if !bytes.Equal(code, again) {
		t.Errorf("%x became %x", code, again)
	}
}
