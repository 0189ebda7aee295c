package hazard

import (
	"pgregory.net/rapid"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// assemble returns a function for sm_100.
func assemble(code ...sass.Instruction) Function {
	f := Function{Name: "k", SM: 100}
	for _, x := range code {
		f.Text = x.Append(f.Text)
	}
	return f
}

// kernel is code for sm_100 that reads its thread index and a parameter.
var kernel = []sass.Instruction{
	sasstest.Asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]"),
	sasstest.Asm("[B------:R-:W1:-:S07] S2R R0, SR_TID.X"),
	sasstest.Asm("[B------:R-:W1:-:S01] LDC.64 R2, c[0x0][0x380]"),
	sasstest.Asm("[B-1----:R-:W-:Y:S05] IMAD.WIDE R2, R0, 0x4, R2"),
	sasstest.Asm("[B0-----:R-:W-:-:S05] EXIT"),
}

// A missing wait is unsafe, and the finding names both instructions (MERC-140).
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(code []sass.Instruction)
		want   Verdict
		reason string
	}{
		{"as it is", func([]sass.Instruction) {}, Safe, ""},
		{"no wait", func(c []sass.Instruction) { c[3] = setField(c[3], 116, 6, 0) }, Unsafe, "without a wait for scoreboard 1"},
		{"a wait for another scoreboard", func(c []sass.Instruction) { c[3] = setField(c[3], 116, 6, 1) }, Unsafe, "without a wait for scoreboard 1"},
		{"results that nothing counts", func(c []sass.Instruction) { c[1] = setField(c[1], 110, 3, 7) }, Unsafe, "which no scoreboard counts"},
		{"another scoreboard for one of two", func(c []sass.Instruction) { c[2] = setField(c[2], 110, 3, 2) }, Unsafe, "scoreboard 2"},
		{"the stack pointer, which nothing uses", func(c []sass.Instruction) { c[0] = setField(c[0], 110, 3, 7) }, Safe, ""},
		{"a form that does not exist", func(c []sass.Instruction) { c[1].Low = 0x7fff }, Unknown, "unknown form"},
		{"a return", func(c []sass.Instruction) { c[4].Low = 0x7950 | 20<<24 }, Safe, ""},
		{"a return before results are there", func(c []sass.Instruction) {
			c[4] = setField(sass.Instruction{Low: 0x7950 | 20<<24, High: c[4].High}, 116, 6, 0)
		}, Unsafe, "leaves to another function R results"},
		{"a call before results are there", func(c []sass.Instruction) { c[3] = sasstest.Asm("[B------:R-:W-:-:S05] CALL.REL.NOINC 0x0") }, Unsafe, "leaves to another function R results"},
		{"a call into the code that never returns", func(c []sass.Instruction) { c[2] = sass.Instruction{Low: 0x7944 | 4<<16, High: 0x000fea0003c00000} }, Safe, ""},
		{"a call into the code that returns", func(c []sass.Instruction) {
			c[2] = sass.Instruction{Low: 0x7944 | 4<<16, High: 0x000fea0003c00000}
			c[4].Low = 0x7950 | 20<<24
		}, Unsafe, "leaves to another function R results"},
		{"a call into the code that returns later", func(c []sass.Instruction) {
			c[0], c[1] = c[1], sass.Instruction{Low: 0x7944 | 4<<16, High: 0x000fea0003c00000}
			c[4].Low = 0x7950 | 20<<24
		}, Unsafe, "leaves to another function R results"},
		{"no schedule at all", func(c []sass.Instruction) {
			for i := range c {
				c[i] = setField(c[i], 105, 4, 0)
			}
		}, Unknown, "no instruction stalls"},
		{"an indirect branch", func(c []sass.Instruction) { c[4].Low = 0x7949 | 4<<24 }, Unknown, "without a table"},
	} {
		code := append([]sass.Instruction(nil), kernel...)
		test.change(code)
		r := Check(assemble(code...))
		if r.Verdict != test.want {
			t.Errorf("%s: %v, want %v: %v", test.name, r.Verdict, test.want, r.Findings)
			continue
		}
		if test.reason != "" && !strings.Contains(r.Findings[0].String(), test.reason) {
			t.Errorf("%s: %v", test.name, r.Findings)
		}
	}
}

// A missing wait is only doubtful in two cases: a scoreboard counts the event on the back edge of a loop, or
// guards in two predicate files may exclude each other (MERC-141).
func TestDoubts(t *testing.T) {
	address, load, exit := setField(kernel[3], 116, 6, 0), kernel[1], setField(kernel[4], 116, 6, 2)
	exit.Low |= 7 << 12
	branch := sass.Instruction{Low: 0xfffffffc00f40947, High: 0x000fea000381ffff} // @P0 BRA, to three before the next
	backTo0 := branch                                                             // to two before the next
	put(&backTo0, 16, 8, 0xf8)
	reduce := sasstest.Asm("[B------:R1:W3:-:S02] @!P1 REDUX.SUM.S32 UR43, R0")
	use := sasstest.Asm("[B------:R-:W-:Y:S04] @P1 ULOP3.LUT UR4, UR43, 0x3f0")
	always := use
	always.Low |= 7 << 12
	for _, test := range []struct {
		name   string
		sm     int
		code   []sass.Instruction
		want   Verdict
		reason string
	}{
		{"around a loop", 100, []sass.Instruction{address, load, branch, exit}, Unknown, "around a loop"},
		{"behind the loop", 100, []sass.Instruction{load, backTo0, address, exit}, Unsafe, "without a wait for scoreboard 1"},
		{"in the same round as well", 100, []sass.Instruction{load, address, branch, exit}, Unsafe, "without a wait for scoreboard 1"},
		{"guards in two files", 80, []sass.Instruction{reduce, use}, Unknown, "unless their guards exclude each other"},
		{"one guard", 80, []sass.Instruction{reduce, always}, Unsafe, "without a wait for scoreboard 3"},
	} {
		f := assemble(test.code...)
		f.SM = test.sm
		r := Check(f)
		if r.Verdict != test.want || !strings.Contains(r.Findings[0].String(), test.reason) {
			t.Errorf("%s: %v", test.name, r)
		}
	}
}

// A distance below the minimum of a frequent pair is an error. After a fence it is not, because a fence takes
// longer than its stall (MERC-141).
func TestDistances(t *testing.T) {
	const sm = 80
	g := generationOf(sm)
	own, ok := g.find(pair{operation(add), result, sass.General, classOf(operation(add)), false})
	if !ok || own.count < often {
		t.Fatalf("FADD was seen %d times", own.count)
	}
	stalls := func(x sass.Instruction, cycles uint8) sass.Instruction {
		return setField(setField(x, 116, 6, 0), 105, 4, uint64(cycles))
	}
	reader := stalls(add, 5) // FADD R16, R16, R3
	reader.Low = reader.Low&^(0xff<<24) | 16<<24
	fence := sasstest.Asm("[B------:R-:W-:Y:S01] ERRBAR")
	for _, test := range []struct {
		name string
		code []sass.Instruction
		want Verdict
	}{
		{"enough", []sass.Instruction{stalls(add, own.cycles), reader, exit}, Safe},
		{"a cycle less", []sass.Instruction{stalls(add, own.cycles-1), reader, exit}, Unsafe},
		{"a cycle less, with a fence", []sass.Instruction{stalls(add, own.cycles-2), stalls(fence, 1), reader, exit}, Unknown},
	} {
		f := assemble(test.code...)
		f.SM = sm
		if r := Check(f); r.Verdict != test.want {
			t.Errorf("%s: %v, want %v: %v", test.name, r.Verdict, test.want, r.Findings)
		}
	}
}

// Two instructions of the same kind write in order. The distances of other instructions of the class do not
// apply to a slow one, because it may write sooner after another instruction (MERC-141).
func TestWritesBehind(t *testing.T) {
	at := func(sm int, first, second sass.Instruction) Verdict {
		f := assemble(setField(first, 105, 4, 1), setField(second, 105, 4, 15), exit)
		f.SM = sm
		return Check(f).Verdict
	}
	zero := sasstest.Asm("[B------:R-:W-:-:S01] @!P1 CS2R R2, SRZ")
	shift := sasstest.Asm("[B------:R-:W-:-:S01] SHF.R.S32.HI R3, RZ, 0x1f, R0")
	for _, test := range []struct {
		name          string
		sm            int
		first, second sass.Instruction
	}{
		{"two of a kind", 80, zero, zero},
		{"a slow one behind a quick one", 86, shift, zero},
	} {
		if got := at(test.sm, test.first, test.second); got == Unsafe {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// An instruction that writes uniform registers may read its operands as the uniform datapath does, whatever its
// opcode is. A reduction over a warp may need its guard late (MERC-141).
func TestOtherDatapaths(t *testing.T) {
	clock := sasstest.Asm("[B------:R-:W-:Y:S04] CS2UR.32 UR9, SR_CLOCKLO")
	convert := sasstest.Asm("[B------:R-:W-:-:S01] UI2F.U32.RP UR4, UR9")
	combine := sasstest.Asm("[B------:R-:W-:-:S02] PLOP3.LUT P0")
	reduce := sasstest.Asm("[B------:R-:W1:-:S02] @!P0 REDUX.SUM.S32 UR4, R23")
	move := sasstest.Asm("[B------:R-:W-:-:S01] MOV R2, UR9")
	guarded := sasstest.Asm("[B------:R-:W-:-:S02] @!P0 MOV R3, R30")
	compare := sasstest.Asm("[B------:R-:W-:Y:S04] ISETP.NE.AND P6, PT, R39, RZ, PT")
	middle := sasstest.Asm("[B------:R-:W-:Y:S05] @!P0 IADD3.X R15, P6, PT, ~R4, R15, RZ, P6, !PT")
	carry := sasstest.Asm("[B------:R-:W-:-:S02] @!P0 IMAD.X R13, R40, 0x1, ~R40, P6")
	carryOfP1 := carry
	carryOfP1.Low ^= (8 ^ 9) << 12 // @!P1
	for _, test := range []struct {
		name          string
		sm            int
		first, second sass.Instruction
		wrong         bool
		says          string
	}{
		{"a uniform conversion", 121, clock, convert, false, ""},
		{"one of general registers", 121, clock, move, true, ": needs "},
		{"the guard of a reduction", 89, combine, reduce, false, "by the guard of a reduction, which may need it late"},
		{"the guard of something else", 89, combine, guarded, true, ": needs "},
		{"a carry that is made anew under the guard that reads it", 110, compare, carry, false, "but what has the same guard writes there in between"},
		{"one that is not", 110, compare, carryOfP1, true, ": needs "},
		{"one that is made anew by what reads it", 110, setField(compare, 105, 4, 2), middle, true, ": needs "},
	} {
		code := []sass.Instruction{test.first, test.second, setField(exit, 116, 6, 2)}
		if test.first == compare {
			code = slices.Insert(code, 1, middle)
		}
		f := assemble(code...)
		f.SM = test.sm
		if got := Check(f); (got.Verdict == Unsafe) != test.wrong || len(got.Findings) == 0 && test.says != "" || len(got.Findings) > 0 && !strings.Contains(got.Findings[0].Reason, test.says) {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// A reduction over a warp may need its guard late, but not later than any other instruction needs it. A
// distance that was never seen is reported as such. A distance that the assembler has used is enough
// (MERC-141).
func TestGuardOfReduction(t *testing.T) {
	combine := sasstest.Asm("[B------:R-:W-:-:S02] PLOP3.LUT P0")
	reduce := sasstest.Asm("[B------:R-:W1:-:S02] @!P0 REDUX.SUM.S32 UR4, R23")
	for stall, want := range map[uint64]string{
		4:  "reads P 4 cycles after the instruction at 0x0: never seen, but by the guard of a reduction, which may need it late",
		5:  "reads P 5 cycles after the instruction at 0x0: never seen",
		12: "reads P 12 cycles after the instruction at 0x0: never seen",
		13: "",
	} {
		f := assemble(setField(combine, 105, 4, stall), reduce, setField(exit, 116, 6, 2))
		f.SM = 80
		got := ""
		if r := Check(f); r.Verdict != Safe {
			got = r.Findings[0].Reason
		}
		if got != want {
			t.Errorf("%d cycles: %q, want %q", stall, got, want)
		}
	}
}

// Code waits for the operands of an instruction that has no ordered unit (MERC-141).
func TestOperandsOfNoUnit(t *testing.T) {
	load := sass.Instruction{Low: 0x0000e00011217b82, High: root.High} // LDC R33, c[0x0][R17], scoreboard 0
	over := sasstest.Asm("[B------:R-:W-:-:S02] MOV R17, R30")
	for waits, want := range map[uint64]Verdict{0: Unsafe, 1: Safe} {
		f := assemble(load, setField(over, 116, 6, waits), setField(exit, 116, 6, 1))
		f.SM = 80
		if r := Check(f); r.Verdict != want {
			t.Errorf("waits %b: %v, want %v: %v", waits, r.Verdict, want, r.Findings)
		}
	}
}

// An atomic on generic addresses writes its predicate when it has read its operands. What reads the predicate has to wait for
// these, or for the result, which comes later (MERC-982).
func TestAtomicsFindSpace(t *testing.T) {
	const operands, result = 1 << 0, 1 << 5
	atomic := sass.Instruction{Low: 0x80000007080079a2, High: 0x000162000c10f308} // ATOM.E.ADD.F32 P0, R0, desc[UR8][R8.64], R7
	branch := sass.Instruction{Low: 0x0000000000000947, High: 0x000fea0003800000} // @P0 BRA, to the exit
	for _, test := range []struct {
		atomic sass.Instruction
		waits  uint64
		want   Verdict
		says   string
	}{
		{atomic, operands, Safe, ""},
		{atomic, result, Safe, ""},
		{atomic, 0, Unsafe, "reads P results of the instruction at 0x0 without a wait for scoreboard 0"},
		{atomic.WithReadBarrier(sass.NoBarrier), result, Safe, ""},
		{atomic.WithReadBarrier(sass.NoBarrier), operands, Unsafe, "reads P results of the instruction at 0x0 without a wait for scoreboard 5"},
		{atomic.WithReadBarrier(sass.NoBarrier).WithWriteBarrier(sass.NoBarrier), operands | result, Unsafe, "reads P results of the instruction at 0x0, which no scoreboard counts"},
	} {
		r := Check(assemble(test.atomic, setField(branch, 116, 6, test.waits), exit))
		if r.Verdict != test.want || test.says != "" && r.Findings[0].Reason != test.says {
			t.Errorf("waits %b: %v, want %v: %v", test.waits, r.Verdict, test.want, r.Findings)
		}
	}
	use := sasstest.Asm("[B------:R-:W-:-:S05] MOV R1, R0")
	if r := Check(assemble(atomic, setField(branch, 116, 6, operands), use, exit)); r.Verdict != Unsafe {
		t.Errorf("the result without a wait: %v", r.Verdict)
	}
}

// A register may be written again under the guard of the reader. An access is then doubtful where it would
// otherwise be an error, and not elsewhere (MERC-141).
func TestWrittenAgain(t *testing.T) {
	compare := sasstest.Asm("[B------:R-:W-:Y:S04] ISETP.NE.AND P6, PT, R39, RZ, PT")
	middle := sasstest.Asm("[B------:R-:W-:Y:S05] @!P0 IADD3.X R15, P6, PT, ~R4, R15, RZ, P6, !PT")
	carry := sasstest.Asm("[B------:R-:W-:-:S02] @!P0 IMAD.X R13, R40, 0x1, ~R40, P6")
	for stall, want := range map[uint64]string{
		3: "reads P 4 cycles after the instruction at 0x0: never seen, but what has the same guard writes there in between",
		4: "reads P 5 cycles after the instruction at 0x0: never seen",
	} {
		f := assemble(setField(compare, 105, 4, stall), setField(middle, 105, 4, 1), carry, setField(exit, 116, 6, 2))
		f.SM = 86
		r := Check(f)
		if !slices.Contains(r.Findings, Finding{Verdict: Unknown, Offset: 0x20, Reason: want}) {
			t.Errorf("%d cycles: %v, want %q", stall, r.Findings, want)
		}
	}
}

// Each error is found once, in the order of the code, however often a block is visited.
func TestFindingsAreInOrder(t *testing.T) {
	load, hasty := kernel[1], setField(kernel[3], 116, 6, 0)                      // S2R R0; IMAD.WIDE.U32 R2, R0, 4, R2 that does not wait
	branch := sass.Instruction{Low: 0xfffffffc00f40947, High: 0x000fea000381ffff} // @P0 BRA, to three before the next
	leaves := kernel[4]
	leaves.Low &^= 7 << 12 // @P0 EXIT: a block of its own comes after it
	type place struct{ at, other uint64 }
	blocks, inBlocks := []sass.Instruction{}, []place{}
	for i := range uint64(12) {
		blocks = append(blocks, load, hasty, leaves)
		inBlocks = append(inBlocks, place{(3*i + 1) * sass.Size, 3 * i * sass.Size})
	}
	for _, tt := range []struct {
		name string
		sm   int
		code []sass.Instruction
		want []place
	}{
		{"a loop", 100, []sass.Instruction{load, hasty, branch, kernel[4]}, []place{{0x10, 0}}},
		{"many blocks", 100, blocks, inBlocks},
		{"after a call", 80, append(calling(0, 5, 2), root, setField(add, 116, 6, 0), setField(exit, 116, 6, 1), back), []place{{0x30, 0x20}}},
		{"after a call that has something under way", 80, append(calling(0, 5, 2), root, setField(add, 116, 6, 0), setField(exit, 116, 6, 1), root, back), []place{{0x30, 0x20}}},
		{"before a call, and used after it", 100, []sass.Instruction{load, sasstest.Asm("[B------:R-:W-:-:S05] CALL.REL.NOINC 0x0"), hasty, kernel[4]}, []place{{0x10, 0}}},
	} {
		f := assemble(tt.code...)
		f.SM = tt.sm
		r := Check(f)
		var got []place
		for _, found := range r.Findings {
			got = append(got, place{found.Offset, found.Other})
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, r.Findings, tt.want)
		}
	}
}

// An instruction may need the further registers of an operand later than the first (MERC-141).
func TestSecondRegister(t *testing.T) {
	const sm = 90
	move := sasstest.Asm("[B------:R-:W-:-:S02] MOV R7, R30")
	multiply := sasstest.Asm("[B------:R-:W-:Y:S07] IMAD.HI.U32 R24, R6, R6, R6") // its addend is R6 and R7
	other := move
	other.Low ^= (6 ^ 7) << 16 // R6
	for _, test := range []struct {
		name string
		move sass.Instruction
		want Verdict
	}{{"the second one", move, Unknown}, {"the first one", other, Unsafe}} {
		f := assemble(setField(test.move, 105, 4, 3), multiply, exit)
		f.SM = sm
		if r := Check(f); r.Verdict != test.want {
			t.Errorf("%s: %v, want %v: %v", test.name, r.Verdict, test.want, r.Findings)
		}
	}
}

// A slow instruction may start sooner after one that writes the same register. The difference is that of their
// latencies (MERC-141).
func TestBehind(t *testing.T) {
	const add, multiply, never = 0x10, 0x25, 0x1ff // IADD3, IMAD.WIDE, no operation
	for i := range generations {
		g := &generations[i]
		slowFirst, _ := g.behind(multiply, add, sass.General)
		fastFirst, known := g.behind(add, multiply, sass.General)
		same, _ := g.behind(add, add, sass.General)
		if _, seen := g.behind(add, never, sass.General); fastFirst > slowFirst || !known || same != 0 || seen {
			t.Errorf("sm_%d: %d behind, %d before", g.since, slowFirst, fastFirst)
		}
	}
}

// Two guards exclude each other until their predicate is written. This holds for both predicate files
// (MERC-140).
func TestGuards(t *testing.T) {
	guarded := func(x sass.Instruction, guard uint64) sass.Instruction {
		x.Low = x.Low&^(15<<12) | guard<<12
		return x
	}
	const when, unless = 0, 8 // P0 or UP0, and its opposite
	load := sasstest.Asm("[B------:R-:W1:-:S01] LDCU UR6, c[0x0][0x1c4]")
	compare := sasstest.Asm("[B------:R-:W-:Y:S09] UISETP.GE.AND UP0, UPT, UR6, 0x1, UPT")
	other := compare
	other.Low += 2 << 24 // of UR8
	thread := sasstest.Asm("[B------:R-:W1:-:S07] S2R R0, SR_TID.X")
	test := sasstest.Asm("[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R0, 0x1, PT")
	another := test
	another.Low += 2 << 24 // of R2
	for name, code := range map[string][3]sass.Instruction{"uniform": {load, other, compare}, "of a thread": {thread, another, test}} {
		makes, writes, uses := guarded(code[0], when), code[1], guarded(code[2], unless)
		if r := Check(assemble(makes, uses)); r.Verdict != Safe {
			t.Errorf("%s: %v", name, r)
		}
		if r := Check(assemble(makes, writes, uses)); r.Verdict != Unsafe || !strings.Contains(r.Findings[0].String(), "without a wait for scoreboard 1") {
			t.Errorf("%s, written between: %v", name, r)
		}
	}
}

// An instruction that writes the predicate of its own guard does not exclude one with the opposite guard (MERC-360).
func TestOwnGuard(t *testing.T) {
	test := sass.Instruction{Low: 0x7000085a7, High: 0x000ea400080010ff} // @!P0 SYNCS.PHASECHK.TRANS64 P0, [R0+URZ], R7
	leave := sasstest.Asm("[B------:R-:W-:-:S05] @P0 EXIT")
	end := sasstest.Asm("[B------:R-:W-:-:S05] EXIT")
	if r := Check(assemble(test, leave, end)); r.Verdict != Unsafe {
		t.Errorf("without a wait: %v", r)
	}
	if r := Check(assemble(test, setField(leave, 116, 6, 1<<(test.Field(110, 3))), end)); r.Verdict != Safe {
		t.Errorf("with a wait: %v", r)
	}
}

// On a conditional branch, events under the opposite condition are not outstanding until their predicate is
// written. On other branches they are outstanding (MERC-140).
func TestGuardsOfBranches(t *testing.T) {
	const p0, not = 0, 8
	guarded := func(x sass.Instruction, guard uint64) sass.Instruction { put(&x, 12, 4, guard); return x }
	load, hasty, exit := kernel[1], setField(kernel[3], 116, 6, 0), kernel[4] // S2R R0; IMAD.WIDE.U32 R2, R0, 4, R2
	uniform := sasstest.Asm("[B------:R-:W1:-:S01] LDCU UR6, c[0x0][0x1c4]")
	move := sasstest.Asm("[B------:R-:W-:-:S01] MOV R2, UR6")
	other := load
	put(&other, 16, 8, 9) // S2R R9
	compare := sasstest.Asm("[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R2, 0x1, PT")
	over := sass.Instruction{Low: 0x0947 | 4<<16, High: 0x000fea0003800000} // @P0 BRA, over the next one
	for _, tt := range []struct {
		name string
		code []sass.Instruction
		want Verdict
	}{
		{"done under the opposite, used where it leads", []sass.Instruction{guarded(load, p0|not), over, exit, hasty, exit}, Safe},
		{"done under its own condition", []sass.Instruction{guarded(load, p0), over, exit, hasty, exit}, Unsafe},
		{"done under a uniform predicate", []sass.Instruction{guarded(uniform, p0|not), over, exit, move, exit}, Unsafe},
		{"the predicate is written in between", []sass.Instruction{guarded(load, p0|not), compare, over, exit, hasty, exit}, Unsafe},
		{"used where it does not lead", []sass.Instruction{guarded(load, p0|not), other, over, hasty, exit}, Unsafe},
		{"done under its own, used where it does not lead", []sass.Instruction{guarded(load, p0), other, over, hasty, exit}, Safe},
	} {
		if r := Check(assemble(tt.code...)); r.Verdict != tt.want {
			t.Errorf("%s: %v, want %v: %v", tt.name, r.Verdict, tt.want, r.Findings)
		}
	}
}

// A store without a scoreboard has read its operands when another function starts, if any instruction could
// overwrite them by then (MERC-141).
func TestStoreBeforeCall(t *testing.T) {
	for _, test := range []struct {
		stall uint64
		want  Verdict
	}{{15, Safe}, {2, Unknown}} {
		f := assemble(
			sasstest.Asm("[B------:R-:W-:-:S01] STS [R2], R3"),
			sasstest.Asm("[B------:R-:W-:-:S05] CALL.REL.NOINC 0x0"),
		)
		f.SM = 75
		f.Text = append(setField(sass.Decode(f.Text), 105, 4, test.stall).Append(nil), f.Text[sass.Size:]...)
		if r := Check(f); r.Verdict != test.want {
			t.Errorf("%d cycles before: %v, want %v: %v", test.stall, r.Verdict, test.want, r.Findings)
		}
	}
}

// On sm_75, memory instructions read their operands within some cycles if no scoreboard counts them or nothing
// waits for them. On later SMs only a scoreboard shows that they were read (MERC-141).
func TestOperandsOfMemory(t *testing.T) {
	store := sasstest.Asm("[B------:R-:W-:-:S01] ST.E [R2], R0")
	writes := sasstest.Asm("[B------:R-:W-:-:S01] LOP3 R0, R4, R6")
	exit := sasstest.Asm("[B------:R-:W-:-:S05] EXIT")
	for _, test := range []struct {
		sm    int
		stall uint64
		board uint64 // for the operands
		want  Verdict
		says  string
	}{
		{75, 8, 7, Unsafe, ", 8 cycles after it: needs 9"},
		{75, 9, 7, Unknown, ", which no scoreboard counts, as some need none"},
		{75, 10, 7, Unknown, ", which no scoreboard counts, as some need none"},
		{75, 11, 7, Safe, ""},
		{75, 8, 0, Unsafe, ", 8 cycles after it: needs 9"},
		{75, 10, 0, Unknown, " without a wait, which was seen in code that must be right"},
		{75, 11, 0, Safe, ""},
		{80, 8, 7, Unsafe, ", which no scoreboard counts"},
		{80, 15, 7, Unsafe, ", which no scoreboard counts"},
		{80, 15, 0, Unsafe, " without a wait for scoreboard 0"},
	} {
		f := assemble(setField(setField(store, 105, 4, test.stall), 113, 3, test.board), writes, exit)
		f.SM = test.sm
		if r := Check(f); r.Verdict != test.want || r.Verdict != Safe && r.Findings[0].Reason != "writes R operands of the instruction at 0x0"+test.says {
			t.Errorf("sm_%d, %d cycles, scoreboard %d: %v, want %v: %v", test.sm, test.stall, test.board, r.Verdict, test.want, r.Findings)
		}
	}
}

// A distance that never occurred in very many pairs is an error. This includes further registers of an operand,
// and a later write of variable latency. It does not include the late operands of products (MERC-141).
func TestNeverInVeryMany(t *testing.T) {
	add := sasstest.Asm("[B------:R-:W-:Y:S03] IADD3 R3, R4, R6, RZ")
	exit := sasstest.Asm("[B------:R-:W-:-:S05] EXIT")
	for _, test := range []struct {
		name  string
		then  sass.Instruction
		stall uint64
		want  Verdict
	}{
		{"the upper half of an address", sasstest.Asm("[B------:R-:W-:-:S01] STG.E desc[UR4][R2.64+0x0], R5"), 3, Unsafe},
		{"the same, a cycle later", sasstest.Asm("[B------:R-:W-:-:S01] STG.E desc[UR4][R2.64+0x0], R5"), 4, Safe},
		{"an addend", sasstest.Asm("[B------:R-:W-:Y:S05] IMAD.WIDE.U32 R8, R5, R7, R2"), 3, Safe},
		{"a load", sasstest.Asm("[B------:R-:W1:-:S01] LDS R3, [R8+UR4]"), 5, Unsafe},
		{"a load, a cycle later", sasstest.Asm("[B------:R-:W1:-:S01] LDS R3, [R8+UR4]"), 6, Safe},
	} {
		f := assemble(setField(add, 105, 4, test.stall), test.then, exit)
		if r := Check(f); r.Verdict != test.want {
			t.Errorf("%s: %v, want %v: %v", test.name, r.Verdict, test.want, r.Findings)
		}
	}
}

// MOVM reads its operand like matrix products or like shuffles (MERC-141).
func TestTransposeReads(t *testing.T) {
	transpose := sasstest.Asm("[B------:R-:W1:-:S01] MOVM.16.MT88 R7, R3")
	exit := sasstest.Asm("[B------:R-:W-:-:S05] EXIT")
	for _, test := range []struct {
		sm    int
		first sass.Instruction
		stall uint64
		want  Verdict
	}{
		{103, sasstest.Asm("[B------:R-:W-:Y:S04] FMUL.RZ R3, R30, R31"), 5, Safe},
		{103, sasstest.Asm("[B------:R-:W-:Y:S04] FMUL.RZ R3, R30, R31"), 2, Unsafe}, // the same
		{86, sasstest.Asm("[B------:R-:W-:Y:S15] IMMA.16816.S8.S8 R2, R16, R16, R4"), 12, Safe},
	} {
		f := assemble(setField(test.first, 105, 4, test.stall), transpose, exit)
		f.SM = test.sm
		if r := Check(f); r.Verdict != test.want {
			t.Errorf("sm_%d, %#x: %v, want %v: %v", test.sm, test.first.Opcode(), r.Verdict, test.want, r.Findings)
		}
	}
}

// A call takes longer than any fixed latency. So does a return within the code. Uncounted events stay
// outstanding.
func TestCallsTakeTime(t *testing.T) {
	quick := setField(setField(add, 116, 6, 0), 105, 4, 1) // FADD R16, R33, R3
	lone := sasstest.Asm("[B------:R-:W-:-:S01] S2R R33, SR_TID.X")
	reads := setField(setField(add, 116, 6, 0), 105, 4, 5)
	reads.Low = reads.Low&^(0xff<<24) | 16<<24 // FADD R16, R16, R3
	outside := setField(sasstest.Asm("[B------:R-:W-:-:S05] CALL.REL.NOINC 0x0"), 105, 4, 1)
	hastyBack := setField(back, 105, 4, 1)
	for _, test := range []struct {
		name string
		code []sass.Instruction
		want Verdict
	}{
		{"no call", []sass.Instruction{quick, reads, exit}, Unsafe},
		{"a call", []sass.Instruction{quick, outside, reads, exit}, Safe},
		{"a return inside of the code", append(calling(0, 4, 2), reads, exit, quick, hastyBack), Safe},
		{"of what nothing counts", append(calling(0, 4, 2), quick, exit, lone, hastyBack), Unsafe},
	} {
		f := assemble(test.code...)
		f.SM = 80
		if r := Check(f); r.Verdict != test.want {
			t.Errorf("%s: %v, want %v: %v", test.name, r.Verdict, test.want, r.Findings)
		}
	}
}

// A DEPBAR waits until at most a given number of events is outstanding on its scoreboard. The events that
// started first are complete.
func TestWaitForSome(t *testing.T) {
	constant := sass.Instruction{Low: 0x0000e000ff217b82, High: root.High} // LDC R33, which has no ordered unit
	for board := range uint64(6) {
		for count := range uint64(3) {
			for name, load := range map[string]sass.Instruction{"MUFU.RSQ": root, "LDC": constant} {
				load = setField(load, 110, 3, board)
				other := load
				put(&other, 16, 8, 40)
				operands := setField(setField(other, 110, 3, 7), 113, 3, board) // signals when the operands are read
				some := sass.Instruction{Low: 0x000080000000791a | count<<38 | board<<44, High: 0x000fc80000000000}
				for _, then := range []sass.Instruction{other, operands} {
					f := assemble(load, then, some, setField(add, 116, 6, 0), setField(exit, 116, 6, 0))
					f.SM = 80
					want := Unsafe
					if count < 2 {
						want = Safe
					}
					if r := Check(f); r.Verdict != want {
						t.Errorf("%s, scoreboard %d, %d under way: %v, want %v: %v", name, board, count, r.Verdict, want, r.Findings)
					}
				}
			}
		}
	}
}

// A DEPBAR waits until at most one of many later events is outstanding. The event before them is then complete.
// If that event has no scoreboard and there is only one later event, neither needs to be complete.
func TestWaitForOneOfMany(t *testing.T) {
	later := root // MUFU.RSQ R40, R17, scoreboard 0
	put(&later, 16, 8, 40)
	some := sass.Instruction{Low: 0x000080000000791a | 1<<38, High: 0x000fc80000000000} // DEPBAR.LE SB0, 1
	for _, board := range []uint64{0, 7} {
		for _, n := range []int{1, 2, 3, 255, 256, 257, 258} {
			code := append([]sass.Instruction{setField(root, 110, 3, board)}, slices.Repeat([]sass.Instruction{later}, n)...)
			f := assemble(append(code, some, setField(add, 116, 6, 0), setField(exit, 116, 6, 1))...)
			f.SM = 80
			want := Safe
			if board == 7 && n == 1 { // the one that ends later may be outstanding
				want = Unsafe
			}
			if r := Check(f); r.Verdict != want {
				t.Errorf("scoreboard %d, %d later ones: %v, want %v: %v", board, n, r.Verdict, want, r.Findings)
			}
		}
	}
}

// A check visits at most some thousands of outstanding events for each instruction.
func TestWork(t *testing.T) {
	nop := sasstest.Asm("NOP")
	loads := func(n int, then ...sass.Instruction) (code []sass.Instruction) {
		for i := range n {
			x := root // MUFU.RSQ, scoreboard 0
			put(&x, 16, 8, uint64(i%255))
			code = append(append(code, x), then...)
		}
		return code
	}
	var rounds []sass.Instruction // each block has one more event outstanding, and may lead to the first one
	for _, x := range loads(255, nop) {
		if x == nop {
			x = sasstest.Asm("[B------:R-:W-:-:S05] @P0 BRA 0x0")
			words := uint64(-4 * int64(len(rounds)+1))
			put(&x, 16, 8, words)
			put(&x, 34, 47, words>>8)
		}
		rounds = append(rounds, x)
	}
	for _, tt := range []struct {
		name string
		code []sass.Instruction
		want bool
	}{
		{"many at once", append(loads(250), append(slices.Repeat([]sass.Instruction{nop}, 1000), kernel[4])...), false},
		{"more and more", append(rounds, kernel[4]), true},
	} {
		r := Check(assemble(tt.code...))
		if tooMuch := slices.Contains(r.Findings, Finding{Verdict: Unknown, Reason: "too many instructions in flight"}); tooMuch != tt.want {
			t.Errorf("%s: too much work %v, want %v", tt.name, tooMuch, tt.want)
		}
	}
	over := sasstest.Asm("[B------:R-:W-:-:S02] MOV R33, R30")
	put(&over, 105, 4, 15)
	long := setField(nop, 105, 4, 15)
	for name, tt := range map[string]struct {
		code []sass.Instruction
		want int // number of instructions, and of the events outstanding before them
	}{
		"nothing under way":     {[]sass.Instruction{nop, nop, exit}, 3},
		"results and operands":  {[]sass.Instruction{nop, root, nop, exit}, 4 + 2*2},
		"results written over":  {[]sass.Instruction{root, over, long, long, long, long, long, long, exit}, 9 + 2 + 7 + 4}, // the write, for 64 cycles
		"until there is a wait": {[]sass.Instruction{root, nop, setField(nop, 116, 6, 1), nop, exit}, 5 + 2*2},
	} {
		w := newWalk(tt.code, 80, nil, func(*step) bool { return false })
		before := w.work
		if w.run(func(int) func(meeting) { return func(meeting) {} }); before-w.work != tt.want {
			t.Errorf("%s: %d of the work was done, want %d", name, before-w.work, tt.want)
		}
	}
}

// Random bytes do not cause a panic, and the time is bounded by their length.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Function{
			Text: rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(t, "text"),
			SM:   rapid.SampledFrom([]int{70, 75, 90, 100, 121, 200}).Draw(t, "sm"),
		}
		if r := Check(f); r.Verdict == Safe && len(f.Text) >= sass.Size && f.SM == 200 {
			t.Fatal("an SM that nobody measured is safe")
		}
	})
}

// Additional waits do not make a schedule less safe.
func TestMoreWaitsAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := append([]sass.Instruction(nil), kernel...)
		for i := range code {
			if rapid.Bool().Draw(t, "wait") {
				code[i] = setField(code[i], 116, 6, 0x3f)
			}
		}
		if r := Check(assemble(code...)); r.Verdict != Safe {
			t.Fatal(r)
		}
	})
}

// A schedule printed as text lists stalls, waits, scoreboards and findings (MERC-142).
func TestWriteSchedule(t *testing.T) {
	code := append([]sass.Instruction(nil), kernel...)
	code[3] = setField(code[3], 116, 6, 0)
	var b strings.Builder
	if err := WriteSchedule(&b, assemble(code...)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"k: unsafe\n", "  000010 0x919      7          1\n", "  000040 0x94d      5  0\n", "         unsafe: reads R results of the instruction at 0x10 without a wait for scoreboard 1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if verdict, lines := Schedule(Function{Name: "empty", SM: 70}); verdict != Unknown || len(lines) > 0 { // its finding has no place
		t.Errorf("no code at all: %v, %v", verdict, lines)
	}
}
