package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// A block is a basic block before and after its instructions changed. A policy may leave some of its instructions out.
type block struct {
	steps   []*codemap.Step
	was, is []machine.Operation // the instructions before, and those of the steps
	rules
}

// rules describe how the new stalls of a block follow from its old ones.
type rules struct {
	movesAll        bool  // an instruction that issued as early as possible does so again; else each issues as long after the one before as it did
	closesDistances bool  // FP64 and freed instructions issue as early as possible
	trustsDistances bool  // the distances of the code before are enough, whatever the latencies
	keepsProducts   bool  // a consumer of a matrix product issues no sooner than before (KIT-055)
	onlyMoved       bool  // a block whose issue cycles do not change keeps its stalls
	onlyAbsorbed    bool  // only instructions that absorb a NOP stall, for its time too: the consumer of that time is not known
	onlyReuse       bool  // the stalls stay, operand reuse follows
	spaces          bool  // empty additions take the time that a stall does not hold (KIT-109)
	yieldsAnew      bool  // the yields follow from the stalls alone (KIT-107), not from what they were
	freed           []int // instructions before which others were removed
	replaced        []int // instructions that are others now
}

// Reschedule sets the stalls, the yields and the operand reuse of each block that a policy selects. It reports whether any
// changed.
func (c *Code) Reschedule(of Policy) (changed bool) {
	for steps := range c.blocks() {
		if b := (block{}); of(c, steps, &b) {
			changed = b.reschedule() || changed
		}
	}
	return changed
}

// reschedule sets the fields of the steps of a block by its rules, and reports whether any changed.
func (b *block) reschedule() (changed bool) {
	if b.onlyAbsorbed {
		for i, x := range b.steps {
			if x.Absorbs {
				x.Instr = x.WithBoundedStall(b.was[i].Stall())
			}
		}
		return true
	}
	if !b.onlyReuse {
		before, now := newTiming(b.was), newTiming(b.is)
		now.before, now.rules, before.spaces = before, b.rules, b.spaces
		now.follow()
		if b.onlyMoved && slices.Equal(now.begin, before.begin) {
			return false
		}
		setStalls(b.is, b.was, now)
	}
	setReuse(b.is, b.was)
	changed = !b.onlyReuse
	for i, x := range b.steps {
		changed = changed || x.High != b.is[i].High
		x.High, x.Delay = b.is[i].High, b.is[i].Delay
	}
	return changed
}
