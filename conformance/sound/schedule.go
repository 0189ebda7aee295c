package sound

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// Code with reassigned scoreboards may have other control bits than the input's. It is judged by package hazard, which
// knows nothing of how a schedule is made: an error of the output that the input lacks makes a program fail now and
// then.

// sameButSchedule reports whether code is what p has, but for scheduling that another rule
// than the finalizer's may settle (MERC-120, MERC-132).
func (p *piece) sameButSchedule(want, got []byte) bool {
	return p.rescheduled && sass.SameButSchedule(want, got)
}

// checkSchedule reports what is wrong with the schedule of code got, in a section of the
// output, and not with that of want (MERC-141). What is not known to be safe is wrong where
// instructions come in fewer cycles than in code that is known to be.
func (c *checker) checkSchedule(key string, section *cubin.Section, want, got []byte) {
	if c.link.Target.Profile.Finalizer.Unschedules {
		return // it goes by shorter latencies than package hazard knows, or by none (KIT-042)
	}
	f, err := hazard.FunctionOf(c.out.file, section)
	if err != nil {
		c.report(key, "machine code", "%v", err)
		return
	}
	f.Text = got
	found := hazard.Check(f)
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

// hastens reports whether an instruction of got stalls for fewer cycles than the same one of
// want.
func hastens(want, got []byte) bool {
	const stall, bits = 105, 4
	for i := 0; i < len(got); i += sass.Size {
		if sass.Decode(got[i:]).Field(stall, bits) < sass.Decode(want[i:]).Field(stall, bits) {
			return true
		}
	}
	return false
}
