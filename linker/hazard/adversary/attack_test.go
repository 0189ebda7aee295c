package adversary_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/hazard/adversary"
	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// control sets the stall, the scoreboards for results and operands, and the wait mask of an instruction.
func control(x sass.Instruction, stall, results, operands, waits uint64) sass.Instruction {
	const at = 105 - 64
	x.High = x.High&(1<<at-1) | (stall|results<<5|operands<<8|waits<<11)<<at
	return x
}

// under sets the guard of an instruction.
func under(x sass.Instruction, guard uint64) sass.Instruction {
	x.Low = x.Low&^(0xf<<12) | guard<<12
	return x
}

const none, not = 7, 8 // no scoreboard; bit for a negated predicate

// Instructions for sm_100.
var (
	load    = sasstest.Asm("[B------:R0:W0:Y:S00] LDC.64 R2, c[0x0][0x380]")
	special = sasstest.Asm("[B------:R0:W0:Y:S00] S2R R0, SR_TID.X")
	use     = sasstest.Asm("[B------:R0:W0:Y:S00] IMAD.WIDE R2, R0, 0x4, R2")
	exit    = control(sasstest.Asm("[B------:R0:W0:Y:S00] EXIT"), 5, none, none, 0)
	atomic  = control(sass.Instruction{Low: 0x80000007080079a2, High: 0x000000000c10f308}, 1, 5, 0, 0)       // ATOM.E.ADD.F32 P0, R0, desc[UR8][R8.64], R7
	branch  = sass.Instruction{Low: 0x0000000000000947, High: 0x0000000003800000}                            // @P0 BRA, to the next
	back    = control(sass.Instruction{Low: 0xfffffffc00f47947, High: 0x000000000381ffff}, 5, none, none, 0) // BRA, to three before the next
	call    = control(sass.Instruction{Low: 0x7944 | 4<<16, High: 0x0000000003c00000}, 5, none, none, 0)     // CALL.REL, beyond the next
)

// barrier returns a DEPBAR.LE that waits until at most left events are outstanding on a scoreboard.
func barrier(board, left uint64) sass.Instruction {
	return control(sass.Instruction{Low: 0x791a | left<<38 | board<<44 | 1<<47}, 4, none, none, 0)
}

func TestAttack(t *testing.T) {
	wide := control(use, 5, none, none, 0)
	for _, test := range []struct {
		name string
		code []sass.Instruction
		want string // the expected attack; empty if there is none
	}{
		{"waits for both", []sass.Instruction{control(special, 1, 1, none, 0), control(load, 1, 0, none, 0), control(use, 5, none, none, 3), exit}, ""},
		{"no wait", []sass.Instruction{control(special, 1, 1, none, 0), control(load, 1, 0, none, 0), control(use, 5, none, none, 1), exit}, "0x20 reads R results of 0x0"},
		{"on no scoreboard", []sass.Instruction{control(special, 1, none, none, 0), control(load, 1, 0, none, 0), control(use, 5, none, none, 1), exit}, "0x20 reads R results of 0x0"},
		{"a later one of the same unit", []sass.Instruction{control(special, 1, none, none, 0), control(under(special, 1), 1, 1, none, 0), control(load, 1, 0, none, 0), control(use, 5, none, none, 3), exit}, ""},
		{"opposite guards", []sass.Instruction{control(under(special, 0), 1, 1, none, 0), under(wide, 0|not), exit}, ""},
		{"guards that do not exclude", []sass.Instruction{control(under(special, 0), 1, 1, none, 0), under(wide, 1), exit}, "0x10 reads R results of 0x0"},
		{"a loop", []sass.Instruction{wide, control(special, 2, 1, none, 0), under(back, 0), exit}, "0x0 reads R results of 0x10"},
		{"a loop that waits", []sass.Instruction{control(use, 5, none, none, 2), control(special, 2, 1, none, 0), under(back, 0), exit}, ""},
		{"too soon", []sass.Instruction{control(use, 1, none, none, 0), wide, exit}, "0x10 reads R results of 0x0, 1 cycles after it"},
		{"units without an order on one scoreboard", []sass.Instruction{control(special, 1, 1, none, 0), control(load, 1, 1, none, 0), barrier(1, 1), wide, exit}, "0x30 reads R results of 0x0"},
		{"a predicate with the operands", []sass.Instruction{atomic, control(branch, 5, none, none, 1), exit}, ""},
		{"a predicate before the result", []sass.Instruction{atomic, control(branch, 5, none, none, 1<<5), exit}, ""},
		{"a predicate without a wait", []sass.Instruction{atomic, control(branch, 5, none, none, 0), exit}, "0x10 reads P results of 0x0"}, // MERC-982
		{"a predicate that another atomic writes", []sass.Instruction{atomic, control(under(atomic, 1), 1, 4, 1, 0), exit}, "0x10 writes P results of 0x0"},
		{"one unit on a scoreboard", []sass.Instruction{control(special, 1, 1, none, 0), control(special, 1, 1, none, 0), barrier(1, 1), wide, exit}, "0x30 reads R results of 0x10"},
		{"nothing left on a scoreboard", []sass.Instruction{control(special, 1, 1, none, 0), control(special, 1, 1, none, 0), barrier(1, 0), wide, exit}, ""},
		{"to another function", []sass.Instruction{control(special, 1, 1, none, 0), call}, "0x10 leaves what 0x0 has under way to another function"},
	} {
		f := hazard.Function{Name: "k", SM: 100}
		for _, x := range test.code {
			f.Text = x.Append(f.Text)
		}
		r, err := adversary.Attack(f, 1000)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !strings.HasPrefix(r.Attack, test.want) || test.want == "" && !r.Harmless() {
			t.Errorf("%s: %q, all paths: %v; want %q", test.name, r.Attack, r.All, test.want)
		}
	}
}

// A search that exceeds the number of states proves nothing. Neither does code that leads to an unknown
// place.
func TestNoProof(t *testing.T) {
	f := hazard.Function{SM: 100, Text: exit.Append(control(special, 1, 1, none, 0).Append(nil))}
	if r, err := adversary.Attack(f, 0); err != nil || r.Harmless() {
		t.Errorf("without a state: %v, %v", r, err)
	}
	f.Text = control(sass.Instruction{Low: 0x7949 | 4<<24}, 5, none, none, 0).Append(nil) // BRX, without its table
	if r, err := adversary.Attack(f, 1000); err == nil && r.Harmless() {
		t.Errorf("an indirect branch: %v", r)
	}
	f.SM = 200
	if _, err := adversary.Attack(f, 1000); err == nil {
		t.Error("an SM that nobody measured")
	}
}
