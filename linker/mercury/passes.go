package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/mercury/internal/stall"
)

// The finalizer is a list of passes over one function. A pass changes instructions or their control fields, and reports what it
// changed. The result depends on the order of the passes.

// open checks the parts of a function.
func open(f Function) (*work, error) {
	if len(f.Text)%machine.Size != 0 {
		return nil, f.TextAt.Fail(0, "machine code is not a whole number of instructions", len(f.Text))
	}
	c, err := capsule.Open(f.Capsule, f.CapsuleAt)
	if err != nil {
		return nil, err
	}
	if n := len(f.Text) / machine.Size; c.Machine() != n {
		return nil, f.CapsuleAt.Fail(0, "capsule is not of as many instructions as the machine code", c.Machine())
	}
	w := &work{Function: f, capsule: c, code: machine.Body(f.Text)}
	w.optimized = !isUnoptimized(w.code)
	w.closed = !f.Partial && !f.Debug && f.Entry && (!callsOutside(w.code) || isLeaf(w.code))
	w.restalls = w.optimized && f.RecomputesStalls && (machine.IsConsumer(f.Input) || f.closesDistances() && !machine.HasFastDoubles(f.Input))
	w.steps = codemap.StepsOf(w.code)
	return w, nil
}

// setExits inserts or removes the barriers at exits. Other instructions may change even if it inserts none.
func (w *work) setExits() Changes {
	changes := w.forgetBarriers()
	steps := atExits(w.capsule, w.code, w.WaitsAtExit)
	moved := w.replace(steps, Exits)
	w.steps = steps
	w.insertsBarriers = w.WaitsAtExit && moved != Clean
	return moved | changes
}

// forgetBarriers assigns the scoreboards that code has without barriers at its exits, if it has such barriers and they are to be
// removed (MERC-902). Code whose stack pointer is not counted gets other scoreboards later.
func (w *work) forgetBarriers() Changes {
	if w.WaitsAtExit || w.KeepsStack || w.From.Later || !w.optimized || w.leavesStack() || !waitsAtExit(w.capsule, w.code) {
		return Clean
	}
	w.steps = codemap.StepsOf(w.code)
	changes, refused := w.reallocate(scoreboard.Goal{RemovesBarriers: true})
	if refused != nil {
		return Clean
	}
	for i := range w.steps {
		w.code[i] = w.steps[i].Instr
	}
	return changes
}

// leavesStack reports whether the load of the stack pointer is no longer counted, because nothing uses it (MERC-120).
func (w *work) leavesStack() bool {
	return w.closed && scoreboard.StackPointerUnused(w.code, w.Input)
}

// did returns change if a pass changed something.
func did(changed bool, change Changes) Changes {
	if changed {
		return change
	}
	return Clean
}

// A pass does one thing to a function.
type pass struct {
	name string
	rule string
	when func(*work) bool
	run  func(*work) Changes // returns the changes
}

// passes lists the passes in the order in which they run:
//
//   - The first passes depend on the input alone, so that all later ones see the final fences, exits and NOPs.
//   - The next ones make the code that a later release has in another form: self-moves, reconvergence points, calls, FP64
//     distances.
//   - The stalls are computed twice by one policy, each time from the code of the input. The scoreboards need the first result,
//     because the loss of a shared scoreboard depends on the time that code takes. The second computation is needed because an
//     instruction that no longer waits may issue at another time.
//   - Work-around fences are removed after the scoreboards are assigned, which happens as if the fences were kept (MERC-112).
//   - Empty additions and window bases follow when the stalls are final.
//   - The repair comes last, because it judges the code that is written.
var passes = [...]pass{
	{"NOPs of stubs", "MERC-260", func(w *work) bool { return w.Stub }, (*work).fillStub},
	{"stubs", "MERC-251", func(w *work) bool { return w.Stub }, (*work).scheduleStub},
	{"retarget", "MERC-130", always, func(w *work) Changes { return retargeted(w.code, w.Input, w.Target) }},
	{"exit barriers", "MERC-123", always, (*work).setExits},
	{"NOPs after WARPSYNC", "MERC-108", fromEarly, func(w *work) Changes { return w.replace(withoutNOPs(w.capsule, w.steps, w.optimized), Warps) }},
	{"order of NOPs", "MERC-109", fromEarly, (*work).orderNOPs},
	{"shifts for barriers", "MERC-252", fromEarly, func(w *work) Changes { return did(renewShifts(w.capsule, w.steps), Waits) }},
	{"results of barriers", "MERC-253", fromEarly, func(w *work) Changes { return w.replace(withResults(w.capsule, w.steps), Warps) }},
	{"sizes of clusters", "MERC-350", func(w *work) bool { return fromEarly(w) && w.optimized }, func(w *work) Changes { return w.replace(w.withSizes(), Replaced|Waits) }},
	{"NOPs after fences", "MERC-160", fromEarly, (*work).padFences},
	{"fences of tensor maps", "KIT-980", func(w *work) bool { return w.FlushesTensorMaps }, func(w *work) Changes { return w.replace(w.flushTensorMaps(), Fences) }},
	{"self moves", "KIT-143", func(w *work) bool { return w.optimized && w.DropsSelfMoves }, func(w *work) Changes { return w.replace(withoutSelfMoves(w.capsule, w.steps), Distances) }},
	{"reconvergence points", "KIT-041", func(w *work) bool { return w.PadsReconvergence }, func(w *work) Changes { return w.replace(atJoins(w.capsule, w.steps, w.optimized), Joins) }},
	{"no NOPs at reconvergence points", "KIT-206", func(w *work) bool { return !w.PadsReconvergence }, func(w *work) Changes { return w.replace(withoutPads(w.capsule, w.steps), Joins) }},
	{"waits at calls", "KIT-040", func(w *work) bool { return w.optimized && w.WaitsAtCalls && !w.From.Later }, (*work).waitAtCalls},
	{"stalls of fences", "KIT-061", func(w *work) bool { return w.optimized && w.StallsFences && !w.From.Later }, func(w *work) Changes { return did(stallFences(w.steps), Waits) }},
	{"FP64 distances", "KIT-050", func(w *work) bool { return w.optimized && w.closesDistances() }, (*work).closeDistances},
	{"two-input additions", "KIT-043", func(w *work) bool { return w.AddsTwo && machine.IsConsumer(w.Input) }, func(w *work) Changes { return did(withTwoAdds(w.steps), Replaced) }},
	{"stalls before scoreboards", "KIT-106", func(w *work) bool { return w.restalls }, func(w *work) Changes { w.stalls().Reschedule(stall.Changed); return Clean }},
	{"stalls of sizes of clusters", "MERC-350", (*work).renews, func(w *work) Changes { w.stalls().Reschedule(stall.Renewed); return Clean }},
	{"scoreboards", "MERC-120", always, (*work).assignScoreboards},
	{"guards of exit barriers", "MERC-947", func(w *work) bool { return w.insertsBarriers && w.kept != nil }, func(w *work) Changes { return did(w.awaitGuards(), Waits) }},
	{"waits for flushes", "KIT-980", func(w *work) bool { return w.kept != nil && w.FlushesTensorMaps }, func(w *work) Changes { return did(w.awaitFlushes(), Waits) }},
	{"waits for reductions", "KIT-330", func(w *work) bool { return w.DropsReductionWaits && w.kept == nil }, func(w *work) Changes { return w.replace(withoutReductionWaits(w.code, w.steps), Waits) }},
	{"waits for fences", "KIT-500", (*work).relaxes, func(w *work) Changes { return w.replace(withoutFenceWaits(w.code, w.steps), Waits) }},
	{"stalls of the target", "MERC-132", func(w *work) bool { return w.changes&Timing != 0 }, func(w *work) Changes { return did(w.stalls().Reschedule(stall.Faster), Waits) }},
	{"stalls before waits that are gone", "KIT-103", func(w *work) bool { return w.relaxes() && !w.keepsTiming() }, func(w *work) Changes { return did(w.stalls().Shorten(true), Waits) }},
	{"stalls of on-demand waits", "KIT-955", func(w *work) bool { return w.relaxes() && w.keepsTiming() }, func(w *work) Changes { return did(w.stalls().Reschedule(stall.OnDemand), Waits) }},
	{"stalls of counted FP64", "KIT-177", func(w *work) bool { return w.optimized && w.CountsDoubles && machine.HasFastDoubles(w.Input) }, func(w *work) Changes { return did(w.stalls().Reschedule(stall.CountedDoubles), Waits) }},
	{"work-around fences", "MERC-112", func(w *work) bool { return w.closed }, (*work).dropFences},
	{"FP64 distances are gone", "KIT-050", func(w *work) bool { return w.closer }, func(*work) Changes { return Distances | Timing }},
	{"stalls of early code", "MERC-160", (*work).renews, func(w *work) Changes { return did(w.stalls().Reschedule(stall.Early), Waits) }},
	{"short records of products", "KIT-173", func(w *work) bool { return w.ShortensProducts }, func(w *work) Changes { return did(shortenProducts(w.capsule, w.steps), Replaced) }},
	{"stalls", "KIT-106", func(w *work) bool { return w.restalls }, func(w *work) Changes { return did(w.stalls().Reschedule(stall.Changed), Waits) }},
	{"stalls of self-moves", "KIT-998", (*work).dropsMoves, func(w *work) Changes { return did(w.stalls().Reschedule(stall.Freed), Waits) }},
	{"empty additions", "KIT-109", func(w *work) bool { return w.optimized && w.PadsByAdditions }, (*work).addNothing},
	{"shared window bases", "KIT-190", func(w *work) bool { return w.ReusesPastWindows }, func(w *work) Changes {
		return did(markWindows(w.capsule, w.steps) && w.stalls().Reschedule(stall.Windows), Waits)
	}},
	{"schedule of fences", "KIT-061", func(w *work) bool { return !w.optimized && w.StallsFences && !w.From.Later }, func(w *work) Changes { return did(scheduleFences(w.steps), Waits) }},
	{"no schedule", "KIT-042", func(w *work) bool { return !w.optimized && w.Unschedules }, func(w *work) Changes { unschedule(w.steps); return Waits }},
	{"repair", "KIT-106", func(w *work) bool { return w.optimized && (w.RecomputesStalls || w.closesDistances() || w.renews()) }, func(w *work) Changes { return did(w.repair(), Waits) }},
}

func always(*work) bool { return true }

// fromEarly reports whether a compiler before 13.0 made the code and the release changes such code.
func fromEarly(w *work) bool { return w.From.Early && w.RenewsCode }

// renews reports whether the stalls are recomputed because a compiler before 13.0 made the code.
func (w *work) renews() bool { return fromEarly(w) && !w.KeepsStack && !w.restalls && w.optimized }

// relaxes reports whether branches wait on demand now, and did not before.
func (w *work) relaxes() bool { return w.optimized && w.WaitsOnDemand && !w.From.Later }

// keepsTiming reports whether the stalls change for other waits alone, and not for the target or its instructions.
func (w *work) keepsTiming() bool { return w.changes&Timing == 0 && !w.restalls && !w.renews() }

// dropsMoves reports whether the stalls change where self-moves were dropped. Where all stalls follow from the instructions
// (KIT-106), they do so anyway.
func (w *work) dropsMoves() bool {
	return w.optimized && w.DropsSelfMoves && !machine.IsConsumer(w.Input) && !w.renews()
}

func (w *work) padFences() Changes {
	padded, found := padAfterFences(w.capsule, w.steps)
	if found {
		w.steps = padded
	}
	return did(found, Fences)
}

func (w *work) waitAtCalls() Changes {
	if !waitAtCalls(w.steps, w.Input) {
		return Clean
	}
	w.stalls().Shorten(false)
	return Waits
}

// closeDistances removes the NOPs between FP64 instructions. It reports no change itself: the pass after the fences does. Until
// then the stalls are those for the target of the input.
func (w *work) closeDistances() Changes {
	w.closer = w.replace(withoutDistances(w.steps, w.capsule.Alone(), w.Input), Distances) != Clean
	return Clean
}

func (w *work) dropFences() Changes {
	var way cfg.Flow
	if slices.ContainsFunc(w.steps, func(x codemap.Step) bool { return x.IsCountedFence() }) {
		way = w.codeMap().Flow(w.steps, w.Targets)
	}
	return w.replace(withoutFences(w.steps, way, w.capsule.Ends(), w.optimized), Fences)
}

func (w *work) addNothing() Changes {
	spaced := w.stalls().Space()
	if spaced == nil {
		return Clean
	}
	w.steps = spaced
	return Waits | Replaced
}

func (w *work) assignScoreboards() Changes {
	g := w.goal()
	if g == (scoreboard.Goal{}) {
		return Clean
	}
	var changes Changes
	changes, w.kept = w.reallocate(g)
	return changes
}

// goal returns how the new schedule differs from that of the input; the zero Goal if it does not. Every release
// keeps the schedule of a later compiler, unless it counts what that compiler does not (KIT-710). A fence that is
// dropped (MERC-112) is not counted.
func (w *work) goal() scoreboard.Goal {
	frees := w.leavesStack()
	g := scoreboard.Goal{FreesStack: frees && !w.KeepsStack}
	if !w.optimized {
		return g
	}
	from, to := w.From, w.Finalizer.Scheduler()
	g.From.Early = fromEarly(w) && !w.KeepsStack
	g.InsertsBarriers = w.insertsBarriers && !w.KeepsStack
	g.CountsDoubles = to.CountsDoubles && !from.CountsDoubles && machine.HasFastDoubles(w.Input) && (!from.Later || scoreboard.HasUncountedDoubles(w.code))
	g.From.Later = from.Later && (frees || g.InsertsBarriers || g.CountsDoubles)
	g.To.Later = g.From.Later || to.Later && !from.Later
	if g.To.Later {
		g.From.ReservesLast, g.To.ReservesLast = from.ReservesLast, to.ReservesLast
	}
	drops := w.closed && !hazardsOf(w.steps).barriers
	g.SchedulesFences = g.Relaxes() && w.StallsFences && !drops
	g.CountsFences = g.Relaxes() && w.CountsFences && !machine.IsConsumer(w.Input) && !drops
	g.DropsFences = g.From.Later && drops
	return g
}
