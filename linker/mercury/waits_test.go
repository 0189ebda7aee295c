package mercury

import (
	"slices"
	"testing"
)

// MERC-155: what the round before of a loop makes an instruction wait for does not spare a later
// one its wait for what came before the loop, on the same scoreboard.
func TestWaitsOfLoops(t *testing.T) {
	goBack := instruction{0xfffffffc00f08947, 0x000fea000383ffff} // @!P0 BRA, to the instruction three before it
	code := []instruction{
		loadPointer.counts(0),
		readID.counts(1),
		loadTwo.counts(2).awaits(0b010), // for the last load of R2
		multiply.awaits(0b110),          // for R0, and for R2
		loadTwo.counts(1),
		goBack,
		end,
	}
	s, ok := scheduleOf(code, nil, 100, goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	if next := s.flow.next[5]; !slices.Contains(next, 2) {
		t.Fatalf("the branch goes to %v", next)
	}
	r := &revision{schedule: s, before: s.newAllocation(), after: s.newAllocation()}
	for _, token := range s.tokens {
		r.before.count(token, token.board)
		if token.at > 0 {
			r.after.count(token, token.board)
		}
	}
	w := r.newWaits()
	pending := r.before.pendingWith(w.given)
	first := w.firstPass()
	if first[2].before != 0 || first[3].before != 0b110 {
		t.Errorf("the first pass waits for %03b and %03b", first[2].before, first[3].before)
	}
	if masks, explained := w.nextPass(first, pending, pending); !explained || !slices.Equal(masks, w.given) {
		t.Errorf("waits %03b, explained: %t; want %03b", masks, explained, w.given)
	}
}

// MERC-134: where a warp ends to do something together it waits for all that is pending, whatever
// that is on.
func TestEndOfCollectiveWaits(t *testing.T) {
	endCollective := instruction{0x000000000000791b, 0x000fea0003800000}
	code := []instruction{loadPointer.counts(0), readID.counts(1), multiply.awaits(0b11), endCollective, end}
	s, ok := scheduleOf(code, nil, 100, goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	a := s.newAllocation()
	here := newSet(len(s.tokens))
	if waits, _ := a.waitsFor(3, 5, here); waits {
		t.Error("it waits for nothing")
	}
	here.add(1)
	for _, test := range []struct {
		at    int
		waits bool
	}{{3, true}, {4, false}} {
		if waits, _ := a.waitsFor(test.at, 5, here); waits != test.waits {
			t.Errorf("instruction %d waits: %t, want %t", test.at, waits, test.waits)
		}
	}
}
