package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/stall"
	"github.com/culink/culink/linker/sass"
)

// Retarget changes machine code of SM input as it is changed in a file for SM target that is not finalized as
// a whole (MERC-306). It returns the code and the changes. targets holds the targets of its indirect
// branches.
func Retarget(text []byte, targets map[uint64][]uint64, input, target int) ([]byte, Changes) {
	if input == target {
		return text, Clean
	}
	code := machine.Body(text)
	changes := retargeted(code, input, target)
	if changes&Timing == 0 {
		return text, changes
	}
	steps := codemap.StepsOf(code)
	stalls := stall.Code{Steps: steps, Before: code, Map: codemap.New(len(code), uint64(len(text)), steps), Targets: targets, Input: input, Target: target}
	if stalls.Reschedule(stall.Faster) {
		return encode(steps, text), changes | Waits
	}
	return text, changes
}

// retargeted returns the changes of code of SM input in a link for SM target. FP64 is slow on sm_103. Its
// results have a fixed latency on sm_100 and are counted on sm_103, where its instructions and 64-bit
// conversions keep an issue distance (MERC-130). Some operations are faster on sm_103 (MERC-132). sm_120 and
// sm_121 do not differ (MERC-131).
func retargeted(code []machine.Instr, input, target int) Changes {
	if !machine.HasFastDoubles(input) || !machine.IsUltra(target) {
		return Clean
	}
	conversions, differs := 0, false
	for _, x := range code {
		switch x.Op() {
		case sass.OpDMUL, sass.OpDADD, sass.OpDSETP, sass.OpDFMA:
			return Target
		case sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64:
			conversions++
		}
		differs = differs || x.Latency(input) != x.Latency(target) || x.Converts(input) != x.Converts(target) || x.EarlyUnit(input) != x.EarlyUnit(target)
	}
	switch {
	case conversions > 1:
		return Target
	case differs:
		return Timing
	}
	return Clean
}
