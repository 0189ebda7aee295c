package hazard

import (
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// Accesses to mbarriers, of 256 bits, and to other blocks of the cluster read their operands in the order of all memory accesses.
// A wait for a later one of them covers operands that nothing counts (MERC-141.6).
func TestMemoryReadsInOrder(t *testing.T) {
	word := func(low, high uint64) sass.Instruction {
		return setField(setField(setField(sass.Instruction{Low: low, High: high}, 110, 3, 7), 113, 3, 7), 116, 6, 0)
	}
	for name, access := range map[string]sass.Instruction{
		"SYNCS.ARRIVE": word(0x000008054aff79a7, 0x0007e800080000ff),
		"SYNCS.EXCH":   word(0x0000100407ff75b2, 0x0087240008000100),
		"SYNCS.CCTL":   word(0x00000000320079b1, 0x00006200080000ff),
		"STAS":         word(0x0000003810007dbd, 0x0109e4000c0008ff),
		"REDAS":        word(0x0000002d10007dbe, 0x0007e200080001ff),
		"STS":          word(0x0000100500007388, 0x0007e20000000800),
	} {
		first := word(0x0000002400007844, 0x000fe20000004200) // STSM [R0], R36
		overwrites := sasstest.Asm("[B0-----:R-:W-:-:S05] MOV R36, R2")
		end := sasstest.Asm("[B------:R-:W-:-:S05] EXIT")
		for _, test := range []struct {
			name string
			code []sass.Instruction
			want Verdict
		}{
			{"before what is counted", []sass.Instruction{first, setField(access, 113, 3, 0), overwrites, end}, Safe},
			{"after what is counted", []sass.Instruction{setField(access, 113, 3, 0), first, overwrites, end}, Unsafe},
			{"and nothing is counted", []sass.Instruction{first, access, overwrites, end}, Unsafe},
		} {
			f := assemble(test.code...)
			f.SM = 120
			if r := Check(f); r.Verdict != test.want {
				t.Errorf("%s, an STSM %s: %v, want %v: %v", name, test.name, r.Verdict, test.want, r.Findings)
			}
		}
	}
}

// A distance that lacks more cycles than before is worse, and so is a missing wait (MERC-140).
func TestBeyondByCycles(t *testing.T) {
	lacking := func(cycles uint8) Report {
		return Report{Unsafe, []Finding{{Verdict: Unsafe, Offset: 0x10, Short: cycles}}}
	}
	for _, test := range []struct {
		now, before Report
		want        int
	}{
		{lacking(1), lacking(1), 0},
		{lacking(1), lacking(2), 0},
		{lacking(2), lacking(1), 1},
		{lacking(never), lacking(2), 1},
		{lacking(1), Report{Unknown, []Finding{{Verdict: Unknown, Offset: 0x10}}}, 1},
	} {
		if more := test.now.Beyond(test.before); len(more) != test.want {
			t.Errorf("%v after %v: %v", test.now, test.before, more)
		}
	}
	code := []sass.Instruction{
		sasstest.Asm("[B------:R-:W-:Y:S01] FADD R4, R4, R5"),
		sasstest.Asm("[B------:R-:W-:Y:S05] FADD R4, R4, R5"),
		sasstest.Asm("[B------:R-:W-:-:S05] EXIT"),
	}
	short := map[uint64]uint8{}
	for _, stall := range []uint64{1, 2} {
		r := Check(assemble(append([]sass.Instruction{setField(code[0], 105, 4, stall)}, code[1:]...)...))
		for _, f := range r.Findings {
			short[stall] = max(short[stall], f.Short)
		}
	}
	if short[2] == 0 || short[1] != short[2]+1 {
		t.Errorf("cycles that are lacking, by stall: %v", short)
	}
}
