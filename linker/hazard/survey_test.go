package hazard

import (
	"github.com/google/go-cmp/cmp"
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// The survey learns from an access to an outstanding event that its latency is fixed, if the event is read
// and no scoreboard counts it. It does not learn this if the event is overwritten or left to another
// function. If a scoreboard counts the event and nothing waits for it, this is reported and learned
// separately. If guards in two files may exclude each other, nothing is learned.
func TestLearnMeetings(t *testing.T) {
	nop := setField(sass.Instruction{Low: 0x7918}, 105, 4, 15)
	counted := kernel[1]                 // S2R R0, scoreboard 1
	lone := setField(counted, 110, 3, 7) // on no scoreboard
	reads := sasstest.Asm("[B------:R-:W-:Y:S03] IADD3 R3, R0, R6, RZ")
	writes := sasstest.Asm("[B------:R-:W-:Y:S03] IADD3 R0, R4, R6, RZ")
	call := sasstest.Asm("[B------:R-:W-:-:S05] CALL.REL.NOINC 0x0")
	reduce := sasstest.Asm("[B------:R1:W3:-:S02] @!P1 REDUX.SUM.S32 UR43, R0")
	use := sasstest.Asm("[B------:R-:W-:Y:S04] @P1 ULOP3.LUT UR4, UR43, 0x3f0")
	const read, special, sum = 0x10, 0x119, 0x1c4
	for _, tt := range []struct {
		name        string
		first, then sass.Instruction
		pair        pair // the pair learned for the first one
		used        int
		says        int
		nops        int // number in between, of 15 cycles each
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
