package sound

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
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
	if c.link.Target.Profile.Finalizer.Unschedules {
		return // this release uses latencies that package hazard does not know, or none (KIT-042)
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
