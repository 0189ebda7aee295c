package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// In a block of an early compiler that computes the size of the cluster in a general register and moves it, the rules alone decide
// what waits (MERC-351).
func TestResized(t *testing.T) {
	size, scale, move := machine.Word(0xd7805, 0x000fca0000008a00), machine.Word(0xffffff60_0d0d7824, 0x000fca00078e02ff), machine.Word(0x0d0472ca, 0x000fdc00000e0000)
	for _, tt := range []struct {
		name  string
		early bool
		code  []machine.Instr
		want  bool
	}{
		{"moved", true, []machine.Instr{machine.NOP, size, scale, move, machine.NOP}, true},
		{"by a later compiler", false, []machine.Instr{machine.NOP, size, scale, move, machine.NOP}, false},
		{"not moved", true, []machine.Instr{machine.NOP, size, scale, machine.NOP, machine.NOP}, false},
		{"another move", true, []machine.Instr{machine.NOP, machine.NOP, scale, move, machine.NOP}, false},
	} {
		s := &schedule{code: tt.code, early: tt.early, flow: cfg.Flow{First: make([]int, 5), Last: []int{4, 4, 4, 4, 4}}}
		s.resized = s.findResized()
		if got := s.renewed(4); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
