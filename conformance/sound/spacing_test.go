package sound

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// spacedLike moves spacing instructions in code that is equal otherwise, and changes no other code (KIT-055).
func TestSpacedLike(t *testing.T) {
	multiply := sass.Instruction{Low: 0x0000000400027825, High: 0x000fca00078e0202} // IMAD.WIDE.U32 R2, R0, 0x4, R2
	nop := sass.Instruction{Low: 0x7918, High: 0x000fc00000000000}
	add := sass.Instruction{Low: sass.OpDADD | 7<<12, High: 0x000fc00000000000}
	end := sass.Instruction{Low: 0x000000000000794d, High: 0x000fea0003800000} // EXIT
	code := []sass.Instruction{multiply, nop, add, end}
	for _, tt := range []struct {
		name    string
		like    []sass.Instruction
		numbers []int // nil: as they are
	}{
		{"the same", []sass.Instruction{multiply, nop, add, end}, nil},
		{"none", []sass.Instruction{multiply, add, end}, []int{0, 2, 3}},
		{"another one", []sass.Instruction{multiply, nop, add, sass.EmptyAddition, end}, []int{0, 1, 2, 3, 3}},
		{"other code", []sass.Instruction{multiply, nop, sass.EmptyAddition, multiply, end}, nil},
		{"less code", []sass.Instruction{multiply, nop, sass.EmptyAddition}, nil},
	} {
		var text []byte
		for _, x := range tt.like {
			text = x.Append(text)
		}
		spaced := spacedLike(code, text)
		var numbers []int
		for i, l := range spaced {
			numbers = append(numbers, l.Number)
			if l.Low != tt.like[i].Low {
				t.Errorf("%s: instruction %d is %x, want %x", tt.name, i, l.Low, tt.like[i].Low)
			}
		}
		if !slices.Equal(numbers, tt.numbers) {
			t.Errorf("%s: %v, want %v", tt.name, numbers, tt.numbers)
		}
	}
}
