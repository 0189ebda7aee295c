package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// The offset that follows from the size of the cluster is computed in the highest register that is not needed there, and that the
// block writes later. If there is none, the code stays. An S2UR before it counts on the scoreboard that is no longer used
// (MERC-350, MERC-351).
func TestSizesOfClusters(t *testing.T) {
	move := func(to, from uint64) machine.Instr { return machine.Word(0x7202|to<<16|from<<32, 0x000fe20000000f00) }
	other := machine.Word(0x679c3, 0x0000000000002500).WithStall(1).WithWriteBarrier(sass.NoBarrier) // S2UR UR6, SR_CTAID.X
	size := machine.Word(0x479c3, 0x0000000000008a00).WithStall(2).WithWriteBarrier(3)
	scale := machine.Word(0xffffff60_040478a4, 0x000fd8000f8e02ff).WithWaitMask(0b1000)
	load := machine.Word(0x00004b00_040477ac, 0x0008000800000800).WithStall(1)
	end := machinetest.AsTheyAre(1)
	for _, tt := range []struct {
		name    string
		after   []machine.Instr
		uniform machine.Instr
		want    uint64 // R1 for none
	}{
		{"the highest", []machine.Instr{move(4, 2), move(9, 2), move(5, 2)}, scale, 9},
		{"the highest is needed", []machine.Instr{move(4, 9), move(9, 2), move(5, 2)}, scale, 5},
		{"the highest is read and written", []machine.Instr{move(9, 9), move(5, 9), move(9, 5)}, scale, 5},
		{"all are needed", []machine.Instr{move(9, 9), move(9, 2), move(9, 9)}, scale, 1},
		{"the stack pointer", []machine.Instr{move(1, 2), move(1, 2), move(1, 2)}, scale, 1},
		{"another computation", []machine.Instr{move(4, 2), move(9, 2), move(5, 2)}, machine.Word(scale.Low+1<<32, scale.High), 1},
	} {
		code := append([]machine.Instr{other, size, tt.uniform, load}, append(tt.after, move(2, 2), machinetest.End)...)
		record := make([]byte, 16)
		record[0] = 1
		c := machinetest.Must(capsule.Open(machinetest.Capsule(end, machinetest.Several(3, record), end, end, end, end, end), capsule.Place{}))(t)
		w := &work{capsule: c, code: code, steps: codemap.StepsOf(code)}
		w.Text, w.Input = textOf(code...), 100
		got := w.withSizes()
		if tt.want == 1 {
			if len(got) != len(code) || got[0].Instr != other {
				t.Errorf("%s: the code changed", tt.name)
			}
			continue
		}
		want := []machine.Instr{
			other.WithWriteBarrier(3),
			machine.Word(0x7805|tt.want<<16, 0x000fca0000008a00),                          // CS2R.32 R, SR_CgaSize
			machine.Word(0xffffff60_00007824|tt.want<<16|tt.want<<24, 0x000fca00078e02ff), // IMAD R, R, -0xa0, RZ
			machine.Word(0x472ca|tt.want<<24, 0x000fdc00000e0000),                         // R2UR UR4, R
			load,
		}
		for i, x := range want {
			if got[i].Instr != x {
				t.Errorf("%s: instruction %d is %x, want %x", tt.name, i, got[i].Instr, x)
			}
		}
		if len(got) != len(code)+1 || !got[3].Inserted || got[4].Inserted {
			t.Errorf("%s: %d instructions", tt.name, len(got))
		}
	}
}

// What is called may need any register.
func TestCallsNeedRegisters(t *testing.T) {
	if r := everyRegister(); !r.Has(sass.General, 0) || !r.Has(sass.General, 254) || r.Only(sass.Uniform) != (sass.Registers{}) {
		t.Errorf("%v", r)
	}
}
