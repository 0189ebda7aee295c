package hazard

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/sass"
)

// What is under way where it is touched: it has a fixed time if it is read though nothing counts it, not if it is
// written over or left to another function; if something counts it and nothing waits it is reported, and learned apart.
// Where guards in two files may exclude each other it says nothing.
func TestLearnMeetings(t *testing.T) {
	nop := setField(sass.Instruction{Low: 0x7918}, 105, 4, 15)
	counted := kernel[1]                                                          // S2R R0, scoreboard 1
	lone := setField(counted, 110, 3, 7)                                          // on none
	reads := sass.Instruction{Low: 0x0000000600037210, High: 0x000fc60007ffe0ff}  // IADD3 R3, R0, R6, RZ
	writes := sass.Instruction{Low: 0x0000000604007210, High: 0x000fc60007ffe0ff} // IADD3 R0, R4, R6, RZ
	call := sass.Instruction{Low: 0x7944, High: 0x000fea0003c00000}               // CALL.REL.NOINC
	reduce := sass.Instruction{Low: 0x00000000002b93c4, High: 0x0002e4000000c200} // @!P1 REDUX.SUM.S32 UR43, R0, scoreboard 3
	use := sass.Instruction{Low: 0x000003f02b041892, High: 0x000fc8000f8ec03f}    // @UP1 ULOP3.LUT UR4, UR43
	const read, special, sum = 0x10, 0x119, 0x1c4
	for _, tt := range []struct {
		name        string
		first, then sass.Instruction
		pair        pair // that is learned of the first
		used        int
		says        int
		nops        int // of 15 cycles each, in between
	}{
		{"read", lone, reads, pair{special, result, sass.General, logic, false}, 1, 0, 0},
		{"written over", lone, writes, pair{special, result, sass.General, logic, true}, 0, 0, 0},
		{"left to another function", lone, call, pair{special, result, sass.General, another, false}, 0, 0, 0},
		{"read without a wait", counted, reads, pair{special, unwaited, sass.General, logic, false}, 0, 1, 0},
		{"left without a wait", counted, call, pair{special, unwaited, sass.General, another, false}, 0, 1, 0},
		{"read without a wait for the first scoreboard", setField(counted, 110, 3, 0), reads, pair{special, unwaited, sass.General, logic, false}, 0, 1, 0},
		{"read late", lone, reads, pair{special, result, sass.General, logic, false}, 1, 0, 3},
		{"read too late to say anything", lone, reads, pair{}, 1, 0, 4},
		{"guards in two files", reduce, use, pair{}, 0, 0, 0},
	} {
		s := NewSurvey(80, 80)
		f := assemble(append(append([]sass.Instruction{tt.first}, slices.Repeat([]sass.Instruction{nop}, tt.nops)...), tt.then, exit)...)
		f.SM = 80
		s.results[special], s.counted[special] = 10, 10
		said := 0
		s.Learn(f, func(string) { said++ })
		var got []pair
		for p, l := range s.pairs {
			if p.first == operation(tt.first) && p.kind != operand {
				got = append(got, p)
			}
			if l.count != 1 || l.pair != p.number() {
				t.Errorf("%s: %+v of %+v", tt.name, l, p)
			}
		}
		want := []pair{tt.pair}
		if tt.pair == (pair{}) {
			want = nil
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(pair{})); d != "" || s.used[special] != tt.used || said != tt.says {
			t.Errorf("%s: used %d times, said %d (-want +got):\n%s", tt.name, s.used[special], said, d)
		}
	}
}
