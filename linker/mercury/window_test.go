package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// The LEA that adds the shared window base sets no reuse bits. Instructions before it set theirs as if it were
// absent (KIT-190).
func TestPassWindows(t *testing.T) {
	const short, none = "\x41\x00\x00\x0a", "\x41\x00\x04\x0a"
	window := machinetest.Asm("[B------:R-:W-:Y:S01] LEA R3, R6, R0, 0x18").WithYield(false)
	keeps := func(x machine.Instr) machine.Instr { x = x.WithReuse(0, true).WithReuse(1, true); return x } // for its first two operands
	first := machinetest.And(1, 4, 20)
	first = first.WithYield(false)
	for _, tt := range []struct {
		name       string
		code, want []machine.Instr
		record     string
	}{
		{"it takes no room", []machine.Instr{first, window, first}, []machine.Instr{keeps(first), window, first}, short},
		{"it keeps nothing", []machine.Instr{keeps(window), window, first}, []machine.Instr{window, window, first}, short},
		{"what no rule explains", []machine.Instr{first, window, keeps(first)}, []machine.Instr{keeps(first), window, keeps(first)}, short},
		{"made so", []machine.Instr{keeps(first), window, first}, []machine.Instr{keeps(first), window, first}, short},
		{"another addition", []machine.Instr{first, window, first}, []machine.Instr{first, window, first}, none},
	} {
		for passes, want := range map[bool][]machine.Instr{true: tt.want, false: tt.code} {
			var records [][]byte
			for _, x := range tt.code {
				record := none
				if x.Op() == sass.OpLEA {
					record = tt.record
				}
				records = append(records, []byte(record))
			}
			f := Function{Text: textOf(tt.code...), Capsule: machinetest.Capsule(append(records, machinetest.AsTheyAre(13))...), Input: 100, Target: 100}
			f.ReusesPastWindows = passes
			r, err := Finalize(f)
			if err != nil {
				t.Fatal(tt.name, err)
			}
			if got := machine.Body(r.Text); !slices.Equal(got, machine.Body(textOf(want...))) {
				t.Errorf("%s, passing %v:\n%x\n%x", tt.name, passes, got, want)
			}
		}
	}
}

// The PRMT that makes an address in another block of the cluster sets no reuse bits (MERC-262).
func TestPassClusterAddresses(t *testing.T) {
	address := machine.Word(0x00000654_04097816, 0x000fe200_0000000b)
	between := machinetest.And(7, 21, 21).WithYield(false)
	text := textOf(address.WithReuse(0, true), between, address)
	capsule := func(first string) []byte {
		return machinetest.Capsule([]byte(first), machinetest.AsTheyAre(1), []byte(first), machinetest.AsTheyAre(13))
	}
	for first, want := range map[string][]byte{"\x41\x39\x14\x0a": textOf(address, between, address), "\x41\x39\x10\x0a": text} {
		f := Function{Text: text, Capsule: capsule(first), Input: 100, Target: 100}
		f.ReusesPastWindows = true
		r, err := Finalize(f)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Text, want) {
			t.Errorf("form %x: %x, want %x", first, r.Text, want)
		}
	}
}

// Each empty addition has its own record in the capsule (KIT-109).
func TestCapsuleOfSpace(t *testing.T) {
	product := machinetest.Asm("HMMA R8, R16, R2, R8").WithStall(15)
	record := append([]byte{2, 0x5a, 0, 0x26}, make([]byte, 28)...)
	alone := machinetest.AsTheyAre(1)
	f := Function{Text: textOf(machinetest.Move(1, 2).WithStall(1), product, machine.NOP.WithStall(14)), Input: 120, Target: 120, Finalizer: arch.Finalizer{PadsByAdditions: true}}
	f.Capsule = machinetest.Capsule(alone, record, alone, machinetest.AsTheyAre(13))
	r, err := Finalize(f)
	if err != nil {
		t.Fatal(err)
	}
	if want := machinetest.Capsule(alone, record, alone, alone, machinetest.AsTheyAre(12)); !slices.Equal(r.Capsule, want) {
		t.Errorf("capsule %x, want %x", r.Capsule, want)
	}
	if got := r.Map.Offset(3 * machine.Size); got != 4*machine.Size {
		t.Errorf("what was behind the NOP is at %#x", got)
	}
}
