package reloc

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNumbers(t *testing.T) {
	for i := range cuda {
		if cuda[i].Number != uint32(i) {
			t.Errorf("row %d has number %d", i, cuda[i].Number)
		}
	}
	for i := range mercury {
		if mercury[i].Number != MercuryBase+uint32(i) {
			t.Errorf("Mercury row %d has number %#x", i, mercury[i].Number)
		}
	}
}

// TestFieldRoundTrip: what is written is read back, modulo the width, and no
// other bit changes.
func TestFieldRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Byte(), 24, 24).Draw(t, "place")
		width := rapid.UintRange(1, 64).Draw(t, "width")
		at := rapid.UintRange(0, 192-width).Draw(t, "at")
		v := rapid.Uint64().Draw(t, "value")
		before := append([]byte(nil), p...)
		writeBits(p, at, width, v)
		if got, want := readBits(p, at, width), v<<(64-width)>>(64-width); got != want {
			t.Fatalf("read %#x, want %#x", got, want)
		}
		for bit := uint(0); bit < 192; bit++ {
			if bit >= at && bit < at+width {
				continue
			}
			if (p[bit/8]^before[bit/8])>>(bit%8)&1 != 0 {
				t.Fatalf("bit %d changed", bit)
			}
		}
	})
}
