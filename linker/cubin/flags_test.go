package cubin

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// Flags, spaces, bindings and types of symbols have names. A value without a name is printed as a number.
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

// The first reserved section number is written unchanged. Later ones are stored elsewhere (EMIT-024,
// EMIT-044).
func TestReservedNumbers(t *testing.T) {
	for _, tt := range []struct {
		number                  uint32
		sections, names, symbol uint16 // as stored in e_shnum, e_shstrndx and st_shndx
	}{
		{0xfeff, 0xfeff, 0xfeff, 0xfeff},
		{0xff00, 0xff00, ShnXIndex, 0xff00},
		{0xff01, 0, ShnXIndex, ShnXIndex},
		{0x1ff01, 0, ShnXIndex, ShnXIndex},
	} {
		b := make([]byte, HeaderSize)
		(&Header{ShNum: tt.number, ShStrNdx: tt.number}).put(b)
		y := AppendSymbol(nil, Symbol{Section: tt.number})
		le := binary.LittleEndian
		if sections, names, symbol := le.Uint16(b[60:]), le.Uint16(b[62:]), le.Uint16(y[6:]); sections != tt.sections || names != tt.names || symbol != tt.symbol {
			t.Errorf("%#x: %#x sections, names in %#x, a symbol in %#x", tt.number, sections, names, symbol)
		}
	}
}
