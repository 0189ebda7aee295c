package hazard

import (
	"fmt"
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// A use counts how often NVIDIA's assembler counts events of one kind of an operation on a scoreboard.
type use struct {
	all, counted int
	sample       sass.Instruction
	sm           int
}

func (u *use) add(x sass.Instruction, sm int, counted bool) {
	if u.all++; counted {
		u.counted++
		u.sample, u.sm = x, sm
	}
}

// usesOf counts for each operation of an era and each kind the instructions in nvlink's outputs that access general registers.
func usesOf(t *testing.T) map[string]*use {
	uses := map[string]*use{}
	outputs(t, 1, func(_ string, f Function) {
		code, _, err := f.code()
		if g := generationOf(f.SM); g == nil || err != nil || unscheduled(code) {
			return
		}
		for _, x := range code {
			writes, reads, known := sass.Uses(x, f.SM)
			if !known {
				continue
			}
			for k, live := range map[kind]sass.Registers{result: writes.Only(sass.General), operand: reads.Only(sass.General)} {
				if live.Marks() == 0 || k == operand && writes.Marks() != 0 {
					continue
				}
				key := fmt.Sprintf("sm_%d: %v of %03x", eras[eraOf(f.SM)], []string{"results", "operands"}[k], operation(x))
				if uses[key] == nil {
					uses[key] = &use{}
				}
				uses[key].add(x, f.SM, writeBoard(x) >= 0 || k == operand && readBoard(x) >= 0)
			}
		}
	})
	return uses
}

// What NVIDIA's assembler always counts on a scoreboard never becomes available with time alone: without its scoreboard an access
// long after the instruction is unsafe (MERC-440).
func TestWhatIsAlwaysCounted(t *testing.T) {
	const enoughToTell = 2
	long := setField(sasstest.Asm("NOP"), 105, 4, 15)
	tried := 0
	for key, u := range usesOf(t) {
		if u.counted < u.all || u.all < enoughToTell {
			continue
		}
		tried++
		x := setField(setField(u.sample, 110, 3, sass.NoBarrier), 113, 3, sass.NoBarrier)
		writes, reads, _ := sass.Uses(x, u.sm)
		live := writes.Only(sass.General)
		if live.Marks() == 0 {
			live = reads.Only(sass.General)
		}
		code := []sass.Instruction{x, long, long, long, long, long, long}
		for r := range 254 {
			if live.Has(sass.General, uint(r)) {
				code = append(code, sasstest.Asm(fmt.Sprintf("[B------:R-:W-:-:S15] IADD3 R%d, R%d, RZ, RZ", r, r)))
			}
		}
		f := assemble(append(slices.Clone(code), exit)...)
		if f.SM = u.sm; Check(f).Verdict != Unsafe {
			t.Errorf("%s: %v without a scoreboard, of %d counted", key, Check(f), u.all)
		}
	}
	t.Logf("%d kinds of events", tried)
}
