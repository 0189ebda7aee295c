package cubin

import (
	"fmt"
	"testing"
)

// Flags, spaces, bindings and types of symbols have names; what has none is a number.
func TestNamesOfNumbers(t *testing.T) {
	for _, tt := range []struct {
		value fmt.Stringer
		want  string
	}{
		{SectionFlags(0), "none"},
		{SectionFlags(FlagAlloc | FlagExec), "alloc+exec"},
		{SectionFlags(FlagWrite | FlagMercury | 3<<BarriersShift), "write+mercury+0x300000"},
		{Space(0), "none"}, {Space(OtherShared), "shared"}, {Space(OtherReserved), "reserved shared"}, {Space(0xe0), "0xe0"},
		{BindWeak, "weak"}, {Binding(9), "9"},
		{SymFunc, "function"}, {SymData, "variable"}, {SymbolType(99), "99"},
	} {
		if got := tt.value.String(); got != tt.want {
			t.Errorf("%T: %q, want %q", tt.value, got, tt.want)
		}
	}
	y := Symbol{Other: OtherShared | OtherHidden}
	if y.Space() != OtherShared {
		t.Errorf("space %v of %#x", y.Space(), y.Other)
	}
}
