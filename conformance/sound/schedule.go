package sound

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/sass"
)

// If scoreboards are assigned anew, code has other control bits than in the input. Package hazard judges such code. It
// is independent of the way in which a schedule is made. An error that the output has and the input lacks would make the
// program fail occasionally.

// sameButSchedule reports whether two versions of the code of p differ at most in their schedule. It returns false if the
// rules of the finalizer determine the schedule (MERC-120, MERC-132).
func (p *piece) sameButSchedule(want, got []byte) bool {
	return p.rescheduled && sass.SameButSchedule(want, got)
}

// checkSchedule reports an error in the schedule of got, the code of a section of the output, if want does not have it
// too (MERC-141). If package hazard cannot judge the schedule, it counts as an error only if an instruction of got
// stalls for fewer cycles than in want.
func (c *checker) checkSchedule(key string, section *cubin.Section, want, got []byte) {
	f, found := c.judgeSchedule(key, section, got)
	if found.Verdict == hazard.Safe || found.Verdict == hazard.Unknown && !hastens(want, got) {
		return
	}
	f.Text = want
	if hazard.Check(f).Verdict >= found.Verdict { // nothing is known of such code
		return
	}
	first := found.Findings[slices.IndexFunc(found.Findings, func(f hazard.Finding) bool { return f.Verdict == found.Verdict })]
	c.report(key, fmt.Sprintf("a schedule as safe as the input's at +%#x", first.Offset), "one that %s", first.Reason)
}

// judgeSchedule returns what package hazard says of got, the code of a section of the output, and the function that it judged.
// Code that it cannot judge counts as safe: releases may use latencies that it does not know, or none (KIT-042), and an error in
// the output is reported.
func (c *checker) judgeSchedule(key string, section *cubin.Section, got []byte) (f hazard.Function, found hazard.Report) {
	if c.link.Target.Profile.Finalizer.Unschedules {
		return f, found
	}
	f, err := hazard.FunctionOf(c.out.file, section)
	if err != nil {
		c.report(key, "machine code", "%v", err)
		return f, found
	}
	f.Text = got
	return f, hazard.Check(f)
}

// A given is the code of an input that the finalizer moves.
type given struct {
	section *cubin.Section
	places  codemap.Map // where its instructions went
}

// checkRenewed reports an error in the schedule of got, the code of p in the output, that the input's code lacks, if the
// finalizer moved that code (MERC-441). The code that the output must have comes from the same package as the output of culink,
// and some of what nvlink writes is unsafe.
func (c *checker) checkRenewed(key string, section *cubin.Section, p *piece, got []byte) {
	if p.given == nil {
		return
	}
	_, found := c.judgeSchedule(key, section, got)
	if found.Verdict != hazard.Unsafe {
		return
	}
	before := hazard.Report{}
	if f, err := hazard.FunctionOf(p.object.file, p.given.section); err == nil {
		before = hazard.Check(f)
	}
	for i := range before.Findings {
		at := &before.Findings[i]
		at.Offset, at.Other = p.given.places.Offset(at.Offset), p.given.places.Offset(at.Other)
	}
	for _, x := range found.Beyond(before) {
		if x.Verdict == hazard.Unsafe && !c.accepts(x, got) {
			c.report(key, fmt.Sprintf("a schedule as safe as the input's at +%#x", x.Offset), "one that %s", x.Reason)
			return
		}
	}
}

// accepts reports whether the link accepts an unsafe fence (E-540).
func (c *checker) accepts(f hazard.Finding, code []byte) bool {
	op := sass.Decode(code[f.Offset:]).Op()
	return c.link.UnsafeFences && (op == sass.OpMEMBAR || op == sass.OpERRBAR)
}

// hastens reports whether an instruction of got stalls for fewer cycles than the same instruction of want.
func hastens(want, got []byte) bool {
	const stall, bits = 105, 4
	for i := 0; i < len(got); i += sass.Size {
		if sass.Decode(got[i:]).Field(stall, bits) < sass.Decode(want[i:]).Field(stall, bits) {
			return true
		}
	}
	return false
}
