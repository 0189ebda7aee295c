package mercury

import (
	"encoding/binary"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// stubOf returns a stub of eight instructions: two, some NOPs, the branch to itself and padding. Its capsule takes all but the last
// part unchanged.
func stubOf(nops int) (text, capsule []byte) {
	code := []machine.Instr{machine.Word(0x7943, 0x000fea00_03c00000), machinetest.Asm("BRA -0x20").WithControlOf(scheduledJump)}
	for range nops {
		code = append(code, scheduledNOP)
	}
	code = append(code, machinetest.Asm("BRA -0x10"))
	n := len(code)
	for len(code) < 8 {
		code = append(code, machine.NOP)
	}
	capsule = machinetest.Capsule(machinetest.AsTheyAre(8 - n + 1))
	binary.LittleEndian.PutUint32(capsule[8:], uint32(n))
	binary.LittleEndian.PutUint32(capsule[12:], 1<<(n-1)-1)
	return machine.Text(code), capsule
}

// A stub has NOPs before its branch to itself, and one after it, whichever compiler made it. The NOPs have the schedule of the link
// (MERC-251, MERC-260).
func TestStubsAreFilled(t *testing.T) {
	wantText, wantCapsule := stubOf(4)
	for nops := range 5 {
		for _, debug := range []bool{false, true} {
			text, capsule := stubOf(nops)
			r, err := Finalize(Function{Text: text, Capsule: capsule, Stub: true, Partial: true, Debug: debug, Input: 100, Target: 100})
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Capsule) != string(wantCapsule) || r.Map.Moved() {
				t.Errorf("%d NOPs, -g %v: capsule %x, want %x", nops, debug, r.Capsule, wantCapsule)
			}
			if !debug && string(r.Text) != string(wantText) {
				t.Errorf("%d NOPs: %x, want %x", nops, r.Text, wantText)
			}
			for i, x := range machine.Body(r.Text) {
				if debug && x.Op() == sass.OpNOP && x.Instruction != unoptimizedNOP.Instruction {
					t.Errorf("%d NOPs, -g: %v at %d", nops, x, i)
				}
			}
		}
	}
}

// A stub without padding, or whose capsule has its padding elsewhere, keeps its instructions (MERC-260).
func TestFullStubs(t *testing.T) {
	text, capsule := stubOf(5)
	r, err := Finalize(Function{Text: text, Capsule: capsule, Stub: true, Partial: true, Input: 100, Target: 100})
	if err != nil || string(r.Text) != string(text) || string(r.Capsule) != string(capsule) {
		t.Errorf("a full stub: %x, %v", r.Text, err)
	}
	text, _ = stubOf(0)
	capsule = machinetest.Capsule(machinetest.AsTheyAre(3), machinetest.AsTheyAre(4), machinetest.AsTheyAre(1))
	r, err = Finalize(Function{Text: text, Capsule: capsule, Stub: true, Partial: true, Input: 100, Target: 100})
	if err != nil || string(r.Capsule) != string(capsule) {
		t.Errorf("padding in two parts: %x, %v", r.Capsule, err)
	}
}
