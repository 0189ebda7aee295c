package hazard

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A Verdict describes how certain it is that a schedule is safe. Worse verdicts are greater.
type Verdict uint8

const (
	Safe    Verdict = iota // no path has an error
	Unknown                // some property is unknown; nothing known is an error
	Unsafe                 // there is a path with an error
)

func (v Verdict) String() string { return [...]string{"safe", "unknown", "unsafe"}[v] }

// A Finding describes why a schedule is unsafe or possibly unsafe: the problem, its instruction and the other
// instruction involved.
type Finding struct {
	Verdict Verdict
	Offset  uint64 // of the instruction, in bytes
	Other   uint64 // of the instruction whose registers it accesses
	Short   uint8  // cycles that an unsafe distance lacks; never if more cycles do not help
	Reason  string
}

func (f Finding) String() string { return fmt.Sprintf("%s: at %#x: %s", f.Verdict, f.Offset, f.Reason) }

// Misses reports whether a wait is missing, so that no distance makes the schedule safe.
func (f Finding) Misses() bool { return f.Verdict == Unsafe && f.Short == never }

// A Report is the verdict about a function. It is that of the worst finding. The findings are in the order of
// the code.
type Report struct {
	Verdict  Verdict
	Findings []Finding
}

func (r *Report) add(f Finding) {
	r.Verdict = max(r.Verdict, f.Verdict)
	r.Findings = append(r.Findings, f)
}

// Beyond returns the findings of r that are worse than those of before at the same instructions: they have a worse
// verdict or lack more cycles. before is a report about the same code with another schedule.
func (r Report) Beyond(before Report) (more []Finding) {
	type place struct{ offset, other uint64 }
	worst := map[place]Finding{}
	for _, f := range before.Findings {
		if p := (place{f.Offset, f.Other}); f.isWorse(worst[p]) {
			worst[p] = f
		}
	}
	for _, f := range r.Findings {
		if f.isWorse(worst[place{f.Offset, f.Other}]) {
			more = append(more, f)
		}
	}
	return more
}

// Check follows all paths through a function and determines whether its schedule is safe. Its time is
// proportional to the size of the code and to the number of events that are outstanding at once. If the time
// would be too long, the verdict is Unknown.
func Check(f Function) Report {
	var r Report
	code, tables, err := f.code()
	g := generationOf(f.SM)
	switch {
	case err != nil:
		r.add(Finding{Verdict: Unknown, Reason: err.Error()})
		return r
	case g == nil:
		r.add(Finding{Verdict: Unknown, Reason: fmt.Sprintf("sm_%d was never measured", f.SM)})
		return r
	case unscheduled(code):
		r.add(Finding{Verdict: Unknown, Reason: "no instruction stalls: it is as the finalizers of later releases leave code that was compiled without optimisation (KIT-042)"})
		return r
	}
	w := newWalk(code, f.SM, tables, func(s *step) bool { return g.isSlow(operation(s.x)) })
	at := func(i int) uint64 { return uint64(i) * sass.Size }
	for i := range w.steps {
		if !w.steps[i].known {
			r.add(Finding{Verdict: Unknown, Offset: at(i), Reason: fmt.Sprintf("instruction of an unknown form: %016x %016x", code[i].High, code[i].Low)})
		}
	}
	for _, i := range w.flow.lost {
		r.add(Finding{Verdict: Unknown, Offset: at(i), Reason: "indirect branch without a table"})
	}
	for _, i := range w.flow.bad {
		r.add(Finding{Verdict: Unknown, Offset: at(i), Reason: "branch out of the function"})
	}
	found := map[int][]Finding{} // by block
	if w.run(func(block int) func(meeting) {
		delete(found, block)
		return func(m meeting) {
			if f := g.judge(w, m); f.Verdict != Safe {
				f.Offset, f.Other = at(m.at), at(m.flight.at)
				found[block] = append(found[block], f)
			}
		}
	}) {
		for _, list := range found {
			for _, f := range list {
				r.add(f)
			}
		}
	} else {
		r.add(Finding{Verdict: Unknown, Reason: "too many instructions in flight"})
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(a.Offset) - int(b.Offset) })
	return r
}

// unscheduled reports whether no instruction in code stalls. The code then has no schedule to check.
func unscheduled(code []sass.Instruction) bool {
	return len(code) > 0 && !slices.ContainsFunc(code, func(x sass.Instruction) bool { return stall(x) != 0 })
}

// pairOf returns the pair of instructions of a meeting.
func (w *walk) pairOf(m meeting) pair {
	second := classOf(operation(w.steps[m.at].x))
	if m.leaves {
		second = another
	}
	return pair{operation(w.steps[m.flight.at].x), m.flight.kind, m.file, second, m.write}
}

// returnsWithNothing is the first SM on which internal functions return without outstanding events. On earlier
// SMs they may return with loads for which their caller waits. Functions that are not internal never do.
const returnsWithNothing = 100

// countsOperands is the first SM on which a scoreboard counts all operands that are overwritten. On earlier
// SMs, memory instructions read uncounted operands within some cycles.
const countsOperands = 80

// waitsForOperands is the first SM on which code always waits for counted operands, unless their unit reads in
// order.
const waitsForOperands = 80

// readBefore reports whether uncounted operands are read before another function starts. It assumes so if any
// instruction could overwrite them at that time.
func (g *generation) readBefore(p pair, f *flight) bool {
	if f.kind != operand || f.board != untracked {
		return false
	}
	p.second = logic // the soonest to write
	own, ok := g.find(p)
	_, most := g.readTimes(p.first)
	return ok && own.count >= enough && f.age >= own.cycles || f.age >= most
}

// judge returns what is wrong with a meeting: a Finding without places, whose Verdict may be Safe.
func (g *generation) judge(w *walk, m meeting) Finding {
	p := w.pairOf(m)
	least := g.judgePair(w, m, p)
	if least.Verdict == Safe || m.leaves {
		return least
	}
	for _, p.second = range classesOf(operation(w.steps[m.at].x), w.steps[m.at].writes) {
		if f := g.judgePair(w, m, p); least.isWorse(f) {
			least = f
		}
	}
	return least
}

// isWorse reports whether f is worse than g: it has a worse verdict, or lacks more cycles.
func (f Finding) isWorse(g Finding) bool {
	return f.Verdict > g.Verdict || f.Verdict == g.Verdict && f.Short > g.Short
}

// judgePair returns what is wrong with a meeting as one pair of instructions. An instruction may have several such
// pairs.
func (g *generation) judgePair(w *walk, m meeting, p pair) Finding {
	f := m.flight
	unknown := func(how string) Finding { return Finding{Verdict: Unknown, Reason: m.say(how)} }
	switch {
	case m.leaves && g.readBefore(p, f):
		return Finding{}
	case m.leaves && g.since < returnsWithNothing && w.flow.mayReturnInside(m.at):
		return unknown(" under way, as functions inside of others do")
	case m.leaves && w.flow.mayCallInside(m.at):
		return unknown(" under way, as calls of functions inside do")
	case f.kind == result && f.board == untracked && (!f.forever || g.mayBeFixed(p.first)):
		return g.judgeLatency(w, m, p)
	case f.kind == operand:
		if found, decided := g.judgeRead(m, p); decided {
			return found
		}
	}
	if doubt := g.doubt(w, m, p); doubt != "" {
		return unknown(doubt)
	}
	how := ", which no scoreboard counts"
	if f.board != untracked {
		how = fmt.Sprintf(" without a wait for scoreboard %d", f.board)
	}
	return Finding{Verdict: Unsafe, Short: never, Reason: m.say(how)}
}

// judgeLatency returns what is wrong with a meeting with a result of fixed latency that no scoreboard counts. The
// verdict depends on the cycles since the instruction was issued.
func (g *generation) judgeLatency(w *walk, m meeting, p pair) (found Finding) {
	f := m.flight
	if g.isEnough(p, f.age) {
		return Finding{}
	}
	from, to := g.bounds(p)
	if f.age >= max(from, to) {
		return Finding{}
	}
	from = g.required(w, m, p, max(from, g.ever(p)))
	need := "never seen"
	found.Verdict = Unknown
	switch {
	case f.age < from && f.fenced:
		need = "never seen, but behind a fence, which takes longer than it stalls"
	case f.age < from && m.file == sass.Predicate && operation(w.steps[m.at].x) == sass.OpREDUX:
		need = "never seen, but by the guard of a reduction, which may need it late"
	case f.age < from && w.isWrittenAgain(m):
		need = "never seen, but what has the same guard writes there in between"
	case f.age < from:
		found.Verdict, found.Short, need = Unsafe, from-f.age, fmt.Sprintf("needs %d", from)
	}
	found.Reason = fmt.Sprintf("%s %v %d cycles after the instruction at %#x: %s", m.does(), m.file, f.age, f.at*sass.Size, need)
	return found
}

// required returns the number of cycles that a meeting needs at least. It is never more than the latency of its
// pair. It can be less: a slow instruction may write after a fast one that was issued slightly earlier, and
// some operands are read late.
func (g *generation) required(w *walk, m meeting, p pair, latency uint8) uint8 {
	switch {
	case m.write:
		behind, known := g.behind(p.first, operation(w.steps[m.at].x), m.file)
		least := min(latency, behind)
		if !known || behind > 0 {
			least = max(least, g.leastWritten(p))
		}
		return least
	case m.flight.age < latency && !w.readsFirst(m):
		least := min(latency, g.ofKin(p, operandLate))
		if !multiplies(p.second) {
			least = max(least, g.leastEver(p))
		}
		return least
	}
	return latency
}

// judgeRead returns what is wrong with a meeting with an operand, if that follows from the number of cycles after
// which the first instruction has read the operand. decided is false otherwise.
func (g *generation) judgeRead(m meeting, p pair) (found Finding, decided bool) {
	f := m.flight
	own, ok := g.find(p)
	least, most := g.readTimes(p.first)
	need := g.ever(p)
	if least < never {
		need = max(need, least)
	}
	switch {
	case ok && f.age >= own.cycles, f.age >= most:
		return Finding{}, true
	case f.age < need && !f.fenced && !m.leaves:
		return Finding{Verdict: Unsafe, Short: need - f.age, Reason: fmt.Sprintf("%s, %d cycles after it: needs %d", m.say(""), f.age, need)}, true
	}
	return Finding{}, false
}

// doubt returns why a meeting that looks like an error may still be correct. It returns an empty string if the
// meeting is an error.
func (g *generation) doubt(w *walk, m meeting, p pair) string {
	f := m.flight
	unwaitedPair := p
	unwaitedPair.kind = unwaited
	_, seen := g.find(unwaitedPair)
	switch {
	case f.carriedUnwaited():
		return " without a wait, around a loop, as in code that should be right"
	case w.steps[f.at].mayExclude(&w.steps[m.at]):
		return " without a wait, unless their guards exclude each other"
	case f.kind == result && seen, f.kind == operand && f.board != untracked && g.since < waitsForOperands:
		return " without a wait, which was seen in code that must be right"
	case f.board == untracked && f.kind == operand && g.since < countsOperands:
		return ", which no scoreboard counts, as some need none"
	}
	return ""
}
