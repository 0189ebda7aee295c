package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// The DEPBAR between a counted fence and a BSYNC is removed, and what follows waits for the fence (KIT-500). Other DEPBARs stay.
func TestWithoutFenceWaits(t *testing.T) {
	fence := machine.Word(sass.OpMEMBAR|7<<12, 0x000fc00000000000).WithReadBarrier(1).WithWriteBarrier(sass.NoBarrier)
	wait := machine.Word(0x000090000000791a, 0x000fc80000000000) // waits for scoreboard 1
	sync := machine.Word(sass.OpBSYNC|7<<12, 0x000fc00000000000).WithReadBarrier(sass.NoBarrier).WithWriteBarrier(sass.NoBarrier)
	for _, tt := range []struct {
		name  string
		code  []machine.Instr
		kept  []int
		waits uint64 // of the last instruction
	}{
		{"before a BSYNC", []machine.Instr{fence, wait, sync}, []int{0, 2}, 1 << 1},
		{"with a wait of its own", []machine.Instr{fence, wait.WithWaitMask(1 << 4), sync.WithWaitMask(1)}, []int{0, 2}, 1 | 1<<1 | 1<<4},
		{"before something else", []machine.Instr{fence, wait, machinetest.Move(1, 2)}, []int{0, 1, 2}, 0},
		{"of another scoreboard", []machine.Instr{fence, wait.CountingOn(2), sync}, []int{0, 1, 2}, 0},
		{"later", []machine.Instr{fence, machinetest.Move(1, 2), wait, sync}, []int{0, 1, 2, 3}, 0},
		{"at the end", []machine.Instr{fence, wait}, []int{0, 1}, 0},
	} {
		var kept []int
		waits := uint64(0)
		for _, x := range withoutFenceWaits(tt.code, stepsOf(tt.code...)) {
			kept, waits = append(kept, x.Old), x.WaitMask()
		}
		if !slices.Equal(kept, tt.kept) || waits != tt.waits {
			t.Errorf("%s: %v stay and the last waits for %b, want %v and %b", tt.name, kept, waits, tt.kept, tt.waits)
		}
	}
}
