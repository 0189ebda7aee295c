package hazard

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// Instructions for sm_80.
var (
	callInside = sasstest.Asm("[B------:R-:W-:-:S05] CALL.REL.NOINC 0x0")
	add        = sasstest.Asm("[B0-----:R-:W-:Y:S05] FADD.FTZ R16, R33, R3")
	exit       = sasstest.Asm("[B------:R-:W-:-:S05] EXIT")
	root       = sasstest.Asm("[B------:R-:W0:-:S02] MUFU.RSQ R33, R17")
	back       = sasstest.Asm("[B------:R-:W-:-:S05] RET.REL.NODEC R0")
)

// calling returns a call at instruction at of the function at instruction to. The function's return register
// contains the offset of instruction end.
func calling(at, to, end int) []sass.Instruction {
	say := sass.Instruction{Low: 0x0000000000007802 | uint64(end)*sass.Size<<32, High: 0x000fe40000000f00} // MOV R0, end
	c := callInside
	words := uint64(to-at-2) * sass.Size / 4
	c.Low |= words << 34
	c.High |= words >> 30 & 0x3ffff
	return []sass.Instruction{say, c}
}

// Events that are outstanding when an internal function returns are outstanding after its calls, if the calls
// set the return address. Events of the caller that no scoreboard counts are outstanding too, unless the
// function uses their registers (MERC-140).
func TestReturns(t *testing.T) {
	hasty := setField(add, 116, 6, 0)
	nop := sasstest.Asm("NOP")
	maybe := back
	put(&maybe, 12, 4, 0) // @P0
	through := callInside // through R2
	put(&through, 9, 3, 1)
	onward := sasstest.Asm("[B------:R-:W-:-:S05] @P0 BRA 0x0")
	lone := []sass.Instruction{sasstest.Asm("[B------:R-:W-:-:S01] S2R R33, SR_TID.X")}
	for _, test := range []struct {
		name   string
		code   []sass.Instruction
		want   Verdict
		reason string
	}{
		{"the caller waits", append(calling(0, 4, 2), add, exit, root, back), Safe, ""},
		{"it does not", append(calling(0, 4, 2), hasty, exit, root, back), Unsafe, "without a wait for scoreboard 0"},
		{"it says another end", append(calling(0, 4, 3), add, exit, root, back), Unknown, "leaves to another function R results"},
		{"it goes on into the function", append(calling(0, 3, 2), add, root, back), Unknown, "leaves to another function R results"},
		{"two callers wait", append(append(calling(0, 7, 2), add), append(calling(3, 7, 5), add, exit, root, back)...), Safe, ""},
		{"one of two does not", append(append(calling(0, 7, 2), add), append(calling(3, 7, 5), hasty, exit, root, back)...), Unsafe, "without a wait for scoreboard 0"},
		{"nobody needs it", append(append(lone, calling(1, 4, 3)...), exit, back), Safe, ""},
		{"the caller needs it", append(append(lone, calling(1, 5, 3)...), hasty, exit, back), Unsafe, "which no scoreboard counts"},
		{"it says so sooner", slices.Insert(append(calling(1, 5, 3), add, exit, root, back), 1, nop), Safe, ""},
		{"it says so before another block", slices.Insert(append(calling(2, 6, 4), add, exit, root, back), 1, onward, nop), Unknown, "leaves to another function R results"},
		{"a call before the last instruction", append(append([]sass.Instruction{exit, root, back}, calling(3, 1, 5)...), exit), Safe, ""},
		{"a call at the end", append([]sass.Instruction{exit, root, back}, calling(3, 1, 5)...), Unsafe, "leaves to another function R results"},
		{"a function needs it that it calls", append(append(append(append(lone, calling(1, 4, 3)...), exit), calling(4, 7, 6)...), back, hasty, back), Unsafe, "leaves to another function R results"},
		{"functions need it not that call each other", append(append(append(append(lone, calling(1, 4, 3)...), exit), calling(4, 7, 6)...), back, back), Safe, ""},
		{"a function that calls itself is not followed", append(append(append(append(lone, calling(1, 4, 3)...), exit), calling(4, 4, 6)...), back), Unsafe, "leaves to another function R results"},
		{"two functions share a return", append(append(append(calling(0, 7, 2), add), calling(3, 8, 5)...), add, exit, root, root, back), Unknown, "as functions inside of others do"},
		{"a return that no call leads to", append(calling(0, 5, 2), add, root, back, back), Unknown, "as functions inside of others do"},
		{"a return on a condition", append(calling(0, 4, 2), add, exit, root, maybe, exit), Unknown, "as functions inside of others do"},
		{"an indirect call may stay inside", append(append(lone, calling(1, 5, 3)...), through, exit, back), Unknown, "as calls of functions inside do"},
		{"an indirect call leaves code without functions inside", append(lone, through, exit), Unsafe, "leaves to another function R results"},
		{"the function needs it", append(append(lone, calling(1, 4, 3)...), exit, hasty, back), Unsafe, "leaves to another function R results"},
	} {
		f := assemble(test.code...)
		f.SM = 80
		r := Check(f)
		if r.Verdict != test.want {
			t.Errorf("%s: %v, want %v: %v", test.name, r.Verdict, test.want, r.Findings)
		} else if test.reason != "" && !strings.Contains(r.Findings[0].String(), test.reason) {
			t.Errorf("%s: %v", test.name, r.Findings)
		}
	}
}

// If the target of a branch is unknown, the paths to a return are unknown.
func TestReturnsBesideLostBranch(t *testing.T) {
	code := append(calling(0, 4, 2), add, exit, root, back)
	if f := flowOf(code, 80, nil); len(f.returns) != 1 || len(f.others) > 0 {
		t.Errorf("returns %v, others %v", f.returns, f.others)
	}
	code = append(code, sass.Instruction{Low: 0x7949, High: exit.High}) // BRX
	if f := flowOf(code, 80, nil); len(f.lost) != 1 || len(f.returns) > 0 || len(f.others) != 1 {
		t.Errorf("with an indirect branch: lost %v, returns %v, others %v", f.lost, f.returns, f.others)
	}
}

// Functions that call each other in a chain take memory in proportion to their number, in whatever order they stand.
func TestChainOfFunctions(t *testing.T) {
	const n, each = 4000, 3
	lone := sasstest.Asm("[B------:R-:W-:-:S01] S2R R33, SR_TID.X")
	chain := func(last sass.Instruction, backwards bool) []sass.Instruction {
		first, step := 1, 1
		if backwards {
			first, step = n, -1
		}
		code := make([]sass.Instruction, 2, 2+(n+1)*each)
		code[0], code[1] = lone, sasstest.Asm("NOP")
		code = append(append(code, calling(2, 2+first*each, 4)...), exit)
		for i := 1; i <= n; i++ {
			at := len(code)
			if i == n && !backwards || i == 1 && backwards {
				code = append(code, last, last, back)
			} else {
				code = append(append(code, calling(at, at+step*each, at+2)...), back)
			}
		}
		return code
	}
	for _, backwards := range []bool{false, true} {
		for last, want := range map[sass.Instruction]Verdict{sasstest.Asm("NOP"): Safe, setField(add, 116, 6, 0): Unsafe} {
			f := assemble(chain(last, backwards)...)
			f.SM = 80
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := Check(f)
			runtime.ReadMemStats(&after)
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; r.Verdict != want || mib > 100 {
				t.Errorf("backwards %v: %v, want %v; %d MiB: %v", backwards, r.Verdict, want, mib, r.Findings)
			}
		}
	}
}
