package sasstest

import (
	"testing"

	"github.com/culink/culink/linker/sass"
)

// Text and Asm agree with NVIDIA's assembler about the text and words of instructions.
func TestAsm(t *testing.T) {
	for text, want := range map[string]sass.Instruction{
		"[B------:R-:W0:-:S08] LDC R1, c[0x0][0x37c]":            {Low: 0x0000df00ff017b82, High: 0x000e300000000800},
		"[B0-----:R-:W-:Y:S07] MOV R21, 0x0":                     {Low: 0x0000000000157802, High: 0x001fce0000000f00},
		"[B01----:R0:W1:Y:S02] POPC R24, R2":                     {Low: 0x0000000200187309, High: 0x0030440000000000},
		"[B------:R-:W-:Y:S05] IADD3 R3, R4.reuse, R6, RZ.reuse": {Low: 0x0000000604037210, High: 0x140fca0007ffe0ff},
		"[B------:R-:W-:-:S05] @!P0 BRA -0x40":                   {Low: 0xfffffffc00f08947, High: 0x000fea000383ffff},
		"@!PT LDS RZ, [RZ]":                                      {Low: 0x00000000fffff984, High: 0x000fc00000000800},
		"IADD.64 R4, R6, R20":                                    {Low: 0x0000001406047235, High: 0x000fc000078e0200},
	} {
		if got := Asm(text); got != want {
			t.Errorf("%s is %016x %016x, want %016x %016x", text, got.High, got.Low, want.High, want.Low)
		}
		if got := Text(want); got != text {
			t.Errorf("%016x %016x is %q, want %q", want.High, want.Low, got, text)
		}
	}
}

// The text of each form is assembled to the same form.
func TestForms(t *testing.T) {
	for _, f := range forms {
		text := placeholder.ReplaceAllStringFunc(f.text, func(name string) string {
			o := operands[name[1:len(name)-1]]
			return o.text(o.set(sass.Instruction{}, 4))
		})
		if got := Text(Asm(text)); got != text {
			t.Errorf("%q is read back as %q", text, got)
		}
	}
}
