package machine

import (
	"pgregory.net/rapid"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// WithDistance sets the displacement that Distance reads, and changes nothing else in the
// instruction.
func TestDistanceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := Instr{sass.Instruction{
			Low:  rapid.Uint64().Draw(t, "low")&^0xfff | rapid.SampledFrom([]uint64{0x947, 0x547, 0x949, 0x958, 0x945, 0x348, 0x948}).Draw(t, "opcode"),
			High: rapid.Uint64().Draw(t, "high"),
		}}
		d := int64(rapid.Int32().Draw(t, "distance")) * 4
		if x.Displacement() == sync {
			d = int64(int32(d))
		}
		y := x.WithDistance(d)
		if x.Displacement() == None {
			d = 0
		}
		if y.Displacement() != x.Displacement() || y.Distance() != d || y.WithDistance(x.Distance()) != x {
			t.Fatalf("%016x %016x with distance %d reads as %d", x.High, x.Low, d, y.Distance())
		}
	})
}

func TestDistanceOfRealInstructions(t *testing.T) {
	for _, c := range []struct {
		name string
		x    Instr
		want int64
	}{
		{"BRA to itself", Instr{Instruction: sasstest.Asm("BRA -0x10")}, -16},
		{"RET.REL from 0x870 to the begin (MERC-270)", Word(0xfffffff402e07950, 0x000fea0003c3ffff), -0x880},
		{"RET.ABS", Word(0x0000000014007950, 0x000fec0003e00000), 0},
		{"BRA.DIV 0x100 to 0x2a0", Word(0x0000000204648947, 0x00dfea000b800000), 0x190},
		{"BRX from 0x150 to 0", Instr{Instruction: sasstest.Asm("[B------:R-:W-:-:S05] BRX R2, -0x160")}, -0x160},
		{"WARPSYNC.COLLECTIVE 0x2d0 to 0x300", Word(0x0000000005087348, 0x020fea0003c00000), 0x20},
		{"WARPSYNC.ALL", Instr{Instruction: sasstest.Asm("[B------:R-:W-:-:S05] WARPSYNC.ALL")}, 0},
	} {
		if got := c.x.Distance(); got != c.want {
			t.Errorf("%s: distance %#x, want %#x", c.name, got, c.want)
		}
	}
}

// Conversions, textures and similar instructions read their operands a cycle later (MERC-156).
func TestReadLater(t *testing.T) {
	for op, want := range map[uint64]int{sass.OpLDG: 8, sass.OpFCHK: 9, sass.OpBREV: 9, sass.OpMUFU: 9, sass.OpTEX: 9} {
		var operands sass.Registers
		operands.Add(sass.General, 4, 1)
		if got := (Word(op, 0)).ReadLatency(operands, 100); got != want {
			t.Errorf("opcode %#x: %d cycles, want %d", op, got, want)
		}
	}
}
