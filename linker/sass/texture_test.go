package sass_test

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// A texture instruction of sm_100 and later writes a register for each component of its mask: the first two from one
// register number on, the others from another one. The disassembler does not show the fourth (MERC-141.13).
func TestTextureComponents(t *testing.T) {
	for _, tt := range []struct {
		x    sass.Instruction
		want []uint
	}{
		{sass.Instruction{Low: 0x60ff04ff04047f60, High: 0x001f6400081e0f06}, []uint{4, 5, 6, 7}}, // TEX R6, R4, R4, UR4, 2D
		{sass.Instruction{Low: 0x60ff04ff04047f60, High: 0x001f6400081e0706}, []uint{4, 5, 6}},
		{sass.Instruction{Low: 0x60ff04ff04047f60, High: 0x001f6400081e0cff}, []uint{4, 5}},
		{sass.Instruction{Low: 0x60ff04ff04047f60, High: 0x001f6400081e08ff}, []uint{4}},
		{sass.Instruction{Low: 0x20ff04ff04047f63, High: 0x004f6400081e0f06}, []uint{4, 5, 6, 7}}, // TLD4.R R6, R4, R4, UR4, 2D
	} {
		writes, _, known := sass.Uses(tt.x, 120)
		if !known {
			t.Errorf("%v is unknown", tt.x)
			continue
		}
		var got []uint
		for n := range uint(255) {
			if writes.Has(sass.General, n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v writes %v, want %v", tt.x, got, tt.want)
		}
	}
}
