package reloc

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestTables checks that rows are at the index of their number, that fields are inside a 128-bit instruction
// and do not overlap, and that every use has a disposition for every target (RELOC-001).
func TestTables(t *testing.T) {
	var cudaTypes, mercuryTypes uint32
	for typ := range Types() {
		look, next := Lookup, &cudaTypes
		if typ.Number >= MercuryBase {
			look, next = LookupMercury, &mercuryTypes
		}
		if got, known := look(typ.Number); got != typ || !known {
			t.Errorf("%s is not found by its number %#x", typ, typ.Number)
		}
		if want := typ.Number % MercuryBase; *next != want {
			t.Errorf("%s has number %d, want %d", typ, want, *next)
		}
		*next++
		if final, known := look(typ.Final); !known || final.Final != typ.Final {
			t.Errorf("%s becomes %d", typ, typ.Final)
		}
		var used [128]bool
		for _, a := range typ.Actions {
			for bit := int(a.At); bit < int(a.At)+int(a.Width); bit++ {
				if bit >= len(used) || used[bit] {
					t.Errorf("%s: bit %d is outside or used twice", typ, bit)
					break
				}
				used[bit] = true
			}
			if (a.Width == 0) != (a.Op == End) {
				t.Errorf("%s: action %v", typ, a)
			}
		}
	}
	if cudaTypes != 117 || mercuryTypes != 65 {
		t.Errorf("%d and %d types, want 117 and 65", cudaTypes, mercuryTypes)
	}
	for mode := range numModes {
		for use := range numUses {
			for target := range numTargets {
				row := dispositions[mode][use]
				if len(row) != len(dispositions[0][0]) || dispositionOf[row[column[target]]] == Keep && row[column[target]] != 'K' {
					t.Fatalf("mode %d, use %d, target %d: row %q", mode, use, target, row)
				}
			}
		}
	}
}

// TestLookupUnknown checks that numbers outside the tables are types of their own that nothing can resolve
// (RELOC-018).
func TestLookupUnknown(t *testing.T) {
	for _, n := range []uint32{117, 200, MercuryBase - 1, MercuryBase, MercuryBase + 2, 1<<32 - 1} {
		typ, known := Lookup(n)
		if known || typ.Number != n || typ.Final != n || typ.Disposition(Placed, Executable) != Unknown || typ.Disposition(Function, Executable) != Keep {
			t.Errorf("Lookup(%#x) = %+v, %v", n, typ, known)
		}
	}
	for n, want := range map[uint32]Disposition{0: Unexpected, 2: Unexpected, MercuryBase - 1: Unexpected, MercuryBase: Unexpected, MercuryBase + 65: Unknown, 1<<32 - 1: Unknown} {
		typ, _ := LookupMercury(n)
		if got := typ.Disposition(Placed, Executable); typ.Number != n || got != want {
			t.Errorf("LookupMercury(%#x): disposition %d, want %d", n, got, want)
		}
	}
	for n, want := range map[uint32]bool{MercuryBase - 1: false, MercuryBase: true, MercuryBase + 64: true, MercuryBase + 65: false} {
		if _, known := LookupMercury(n); known != want {
			t.Errorf("LookupMercury(%#x): known %v", n, known)
		}
	}
}

// bits is a model of a section as a list of its bits.
type bits []bool

func bitsOf(b []byte) bits {
	m := make(bits, 8*len(b))
	for i := range m {
		m[i] = b[i/8]>>(i%8)&1 == 1
	}
	return m
}

// number reads width bits starting at bit at.
func (m bits) number(at, width int) uint64 {
	var v uint64
	for i := range min(width, 64) {
		if at+i < len(m) && m[at+i] {
			v |= 1 << i
		}
	}
	return v
}

// put writes width bits starting at bit at.
func (m bits) put(at, width int, v uint64) {
	for i := range width {
		if at+i < len(m) {
			m[at+i] = i < 64 && v>>i&1 == 1
		}
	}
}

// apply is a model of Apply: it computes each field of a type by the formula of docs/relocations.md.
func (m bits) apply(t *Type, offset int, v Value) {
	for _, a := range t.Actions {
		at, width := 8*offset+int(a.At), int(a.Width)
		old := m.number(at, width)
		sum, rest := v.Symbol, old // the number that is shifted, and the number added after the shift
		if v.HasAddend {
			sum, rest = v.Symbol+uint64(v.Addend), 0
		}
		var shift int
		switch o := a.Op; {
		case o == End, o == Load:
			continue
		case o == Clear, o == Clear64, o == Reset:
			sum, rest = 0, 0
		case o == High, o == High2:
			shift = 32
		case o == Words:
			shift = 2
		case o == Align:
			sum += v.Align - v.Symbol
		case o == BankLow:
			sum = uint64(v.Bank)
		case o == BankHigh:
			sum, shift = uint64(v.Bank), 4
		case o == PCRel:
			sum, rest = uint64(int64(int32(sum+rest)))-uint64(offset), 0
		case o >= Byte0 && o <= Byte0+7:
			sum, rest, shift = sum+rest, 0, 8*int(o-Byte0)
		case o >= Byte8 && o <= Byte8+7:
			sum, rest, shift = sum+rest, 0, 8*int(o-Byte8)
		}
		m.put(at, width, sum>>shift+rest)
	}
}

// drawType draws a type of the tables, or another type with up to three fields.
func drawType(t *rapid.T) *Type {
	all := append(append([]Type(nil), cuda[:]...), mercury[:]...)
	if i := rapid.IntRange(0, len(all)).Draw(t, "type"); i < len(all) {
		return &all[i]
	}
	ops := []Op{End, Abs, Low, High, Align, Words, BankLow, BankHigh, PCRel, Abs2, Clear, Clear64, Reset, Abs3, Low2, High2, Load}
	for i := range Op(8) {
		ops = append(ops, Byte0+i, Byte8+i)
	}
	typ := &Type{Name: "any"}
	for i := range typ.Actions {
		typ.Actions[i] = Action{rapid.Uint8Range(0, 127).Draw(t, "at"), rapid.Uint8Range(0, 128).Draw(t, "width"), rapid.SampledFrom(ops).Draw(t, "op")}
	}
	return typ
}

func drawValue(t *rapid.T) Value {
	return Value{
		Symbol:    rapid.Uint64().Draw(t, "symbol"),
		Addend:    rapid.Int64().Draw(t, "addend"),
		HasAddend: rapid.Bool().Draw(t, "rela"),
		Align:     rapid.Uint64().Draw(t, "align"),
		Bank:      rapid.Uint8Range(0, 31).Draw(t, "bank"),
	}
}

// TestApplyModel checks that Apply and the model change a section in the same way: over one, two and three
// words, inside the section and across its end (RELOC-002, RELOC-003, RELOC-017).
func TestApplyModel(t *testing.T) { rapid.Check(t, applyModel) }

// FuzzRelocField is TestApplyModel with input from the fuzzing engine.
func FuzzRelocField(f *testing.F) { f.Fuzz(rapid.MakeFuzz(applyModel)) }

func applyModel(t *rapid.T) {
	section := rapid.SliceOfN(rapid.Byte(), 1, 48).Draw(t, "section")
	offset := rapid.IntRange(0, len(section)-1).Draw(t, "offset")
	typ, v := drawType(t), drawValue(t)
	want := bitsOf(section)
	want.apply(typ, offset, v)
	if err := typ.Apply(section, uint64(offset), v); err != nil {
		t.Fatal(err)
	}
	for i, bit := range bitsOf(section) {
		if bit != want[i] {
			t.Fatalf("%s %+v at %d: bit %d is %v", typ, typ.Actions, offset, i, bit)
		}
	}
}

// TestApplyLaws checks that bits outside the fields do not change, that an entry with addend ignores the old
// bytes, and that addends wrap in their field. For an entry without addend, the old field has the same effect
// as an addend of this value.
func TestApplyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.SliceOfN(rapid.Byte(), 24, 24).Draw(t, "place")
		typ, v := drawType(t), drawValue(t)
		inside := make(bits, 8*len(place))
		for _, a := range typ.Actions {
			if a.Op != End && a.Op != Load {
				inside.put(int(a.At), int(a.Width), ^uint64(0))
				for bit := 64; bit < int(a.Width); bit++ {
					if int(a.At)+bit < len(inside) {
						inside[int(a.At)+bit] = true
					}
				}
			}
		}
		after := append([]byte(nil), place...)
		if err := typ.Apply(after, 0, v); err != nil {
			t.Fatal(err)
		}
		before, now := bitsOf(place), bitsOf(after)
		for i := range before {
			if !inside[i] && before[i] != now[i] {
				t.Fatalf("%s: bit %d outside of its fields changed", typ, i)
			}
		}
		if !v.HasAddend {
			return
		}
		other := append([]byte(nil), place...)
		for i := range other { // change the old bytes, only in the fields
			for bit := range 8 {
				if inside[8*i+bit] {
					other[i] ^= 1 << bit
				}
			}
		}
		if err := typ.Apply(other, 0, v); err != nil {
			t.Fatal(err)
		}
		if typ.Name != "any" && string(other) != string(after) {
			t.Fatalf("%s: the old bytes count: %x and %x", typ, other, after)
		}
	})
}

// TestFieldRoundTrip checks that a written value is read back, modulo the width.
func TestFieldRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Byte(), 24, 24).Draw(t, "place")
		width := rapid.UintRange(1, 64).Draw(t, "width")
		at := rapid.UintRange(0, 192-width).Draw(t, "at")
		v := rapid.Uint64().Draw(t, "value")
		writeBits(p, at, width, v)
		if got, want := readBits(p, at, width), v<<(64-width)>>(64-width); got != want {
			t.Fatalf("read %#x, want %#x", got, want)
		}
	})
}

// TestOddPlaces checks fields as wide as a word of which one bit belongs to the byte before or after (RELOC-016).
func TestOddPlaces(t *testing.T) {
	p := []byte{0x01, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x80}
	for _, tt := range []struct {
		at, width uint
		want      uint64
	}{{0, 32, 1}, {1, 32, 0}, {0, 64, 1}, {1, 64, 1 << 63}, {33, 32, 1 << 31}} {
		if got := readBits(p, tt.at, tt.width); got != tt.want {
			t.Errorf("%d bits at %d: %#x, want %#x", tt.width, tt.at, got, tt.want)
		}
	}
}

// TestApplyOutside checks that a place after the section is an error, for any offset (RELOC-016).
func TestApplyOutside(t *testing.T) {
	typ, _ := Lookup(2)
	for _, offset := range []uint64{4, 5, 1 << 32, 1<<64 - 1} {
		section := []byte{1, 2, 3, 4}
		err := typ.Apply(section, offset, Value{})
		var outside *RangeError
		if !errors.As(err, &outside) || outside.Offset != offset || outside.Size != 4 {
			t.Errorf("Apply at %#x: %v", offset, err)
		}
		if _, err := typ.Addend(section, offset); !errors.As(err, &outside) {
			t.Errorf("Addend at %#x: %v", offset, err)
		}
	}
}

// IsDescriptor recognises the types of function descriptors in both halves, and not the neighbouring numbers
// (RELOC-020).
func TestIsDescriptor(t *testing.T) {
	for n := range uint32(MercuryBase + 80) {
		want := n >= 31 && n <= 35 || n >= 47 && n <= 49 || n >= 61 && n <= 63 || n == MercuryBase+15
		if IsDescriptor(n) != want {
			t.Errorf("%#x: %v", n, !want)
		}
	}
}
