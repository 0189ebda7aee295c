package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// An operation on the allocation of tensor memory reads its uniform operands late. The EXIT waits for it, and with on-demand waits a
// WARPSYNC before that (MERC-261).
func TestWaitsForAllocationOfTensorMemory(t *testing.T) {
	free := machine.Word(0x00000005_00ff79e3, 0x0005e200_08000000).WithReadBarrier(0)
	together := machine.Word(0x00000000_00007948, 0x000fea00_03800000)
	exit := machine.Word(0x00000000_0000794d, 0x000fea00_03800000)
	code := []machine.Instr{free, together, exit.WithWaitMask(1), machine.NOP}
	later, refused, ok := Reallocate(code, nil, 100, Goal{To: laterRelease})
	if !ok {
		t.Fatal(refused)
	}
	for i, want := range []uint64{0, 1, 0, 0} {
		if got := later[i].WaitMask(); got != want {
			t.Errorf("instruction %d waits for %06b, want %06b", i, got, want)
		}
	}
}
