package hazard

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/sass"
)

// assemble returns a function for sm_100.
func assemble(code ...sass.Instruction) Function {
	f := Function{Name: "k", SM: 100}
	for _, x := range code {
		f.Text = x.Append(f.Text)
	}
	return f
}

// A kernel that reads its thread and a parameter, for sm_100.
var kernel = []sass.Instruction{
	{Low: 0x0000df00ff017b82, High: 0x000e220000000800}, // LDC R1, c[0x0][0x37c], scoreboard 0
	{Low: 0x0000000000007919, High: 0x000e6e0000002100}, // S2R R0, SR_TID.X, scoreboard 1
	{Low: 0x0000e000ff027b82, High: 0x000e620000000a00}, // LDC.64 R2, c[0x0][0x380], scoreboard 1
	{Low: 0x0000000400027825, High: 0x002fca00078e0202}, // IMAD.WIDE.U32 R2, R0, 4, R2, waits for 1
	{Low: 0x000000000000794d, High: 0x001fea0003800000}, // EXIT, waits for 0
}

// MERC-140: what is not waited for is unsafe, with both places.
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
		{"a call before results are there", func(c []sass.Instruction) { c[3] = sass.Instruction{Low: 0x7944, High: 0x000fea0003c00000} }, Unsafe, "leaves to another function R results"},
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

// Bytes at random are never a panic, and take no longer than their length allows.
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

// Waits for everything make no schedule worse.
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

// MERC-142: a schedule as text names stalls, waits and scoreboards, and says what is wrong
// where.
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
}
