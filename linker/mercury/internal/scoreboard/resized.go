package scoreboard

import "github.com/culink/culink/linker/sass"

// findResized finds the blocks in which the finalizer computes the size of the cluster in a general register and moves it to a uniform
// one, by first instruction. Compilers before 13.0 never do so; their waits for the computation are gone (MERC-351).
func (s *schedule) findResized() []bool {
	resized := make([]bool, len(s.code))
	for i := 2; s.early && i < len(s.code); i++ {
		if s.code[i].Op() == sass.OpR2UR && s.code[i-1].Op() == sass.OpIMAD && s.code[i-2].ReadsClusterSize() {
			resized[s.flow.First[i]] = true
		}
	}
	return resized
}
