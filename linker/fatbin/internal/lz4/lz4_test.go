package lz4

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"
)

// contents draws bytes with repetitions, as in code.
func contents(t *rapid.T) (b []byte) {
	for range rapid.IntRange(0, 20).Draw(t, "pieces") {
		piece := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "piece")
		for range rapid.IntRange(1, 40).Draw(t, "times") {
			b = append(b, piece...)
		}
	}
	return b
}

func compressed(t *rapid.T, b []byte) []byte {
	block := make([]byte, lz4.CompressBlockBound(len(b)))
	n, err := lz4.CompressBlock(b, block, nil)
	if err != nil {
		t.Fatal(err)
	}
	return block[:n]
}

// Decoding what the library has compressed returns the original bytes.
func TestDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := contents(t)
		block := compressed(t, want)
		if len(block) == 0 {
			return // the library leaves what does not shrink
		}
		got, err := Decode(block, uint64(len(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes (%v), want %d", len(got), err, len(want))
		}
		if len(want) == 0 {
			return
		}
		if _, err := Decode(block, uint64(len(want)-1)); err == nil {
			t.Fatal("more bytes than there may be")
		}
	})
}

// Decode and the library return the same bytes for a damaged block that both decode. nvlink is stricter about
// the end of a block, and less strict about a distance of 0 (LOAD-055).
func TestDecodeDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := compressed(t, contents(t))
		if rapid.Bool().Draw(t, "made up") {
			block = rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "block")
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			if len(block) > 0 {
				block[rapid.IntRange(0, len(block)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
		}
		if block = block[:rapid.IntRange(0, len(block)).Draw(t, "length")]; len(block) == 0 {
			return
		}
		want := make([]byte, rapid.IntRange(0, 4000).Draw(t, "size"))
		n, failure := lz4.UncompressBlock(block, want)
		got, err := Decode(block, uint64(len(want)))
		switch {
		case len(got) > len(want):
			t.Fatalf("%d bytes, at most %d", len(got), len(want))
		case err == nil && failure == nil && !bytes.Equal(got, want[:n]):
			t.Fatalf("%d bytes %x, want %d %x", len(got), got, n, want[:n])
		}
	})
}

// TestEnds checks that a sequence is the last one if its literals extend close to an end (LOAD-055).
func TestEnds(t *testing.T) {
	literals := func(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
	block := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	match := []byte{1, 0} // a match with the previous byte
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		name  string
		block []byte
		size  uint64
		want  string // "": the block is corrupt
	}{
		{"literals alone", block([]byte{0x50}, literals(5)), 5, x(5)},
		{"fewer than there is room for", block([]byte{0x50}, literals(5)), 50, x(5)},
		{"what the last token says of a match", block([]byte{0x5f}, literals(5)), 5, x(5)},
		{"a match, and five literals", block([]byte{0x14}, literals(1), match, []byte{0x50}, literals(5)), 14, x(14)},
		{"a match, and four literals", block([]byte{0x14}, literals(1), match, []byte{0x40}, literals(4)), 13, ""},
		{"a match that begins 12 bytes before the end", block([]byte{0x13}, literals(1), match, []byte{0x50}, literals(5)), 13, x(13)},
		{"a match that begins 11 bytes before the end", block([]byte{0x12}, literals(1), match, []byte{0x50}, literals(5)), 12, ""},
		{"a match at the end", block([]byte{0x14}, literals(1), match), 40, ""},
		{"a match of what is not there", block([]byte{0x14}, literals(1), []byte{2, 0}, []byte{0x50}, literals(5)), 14, ""},
		{"a match at no distance", block([]byte{0x14}, literals(1), []byte{0, 0}, []byte{0x50}, literals(5)), 14, "x" + strings.Repeat("\x00", 8) + x(5)},
		{"more than there is room for", block([]byte{0x50}, literals(5)), 4, ""},
		{"nothing", nil, 5, ""},
	} {
		got, err := Decode(tt.block, tt.size)
		if (err != nil) != (tt.want == "") || string(got) != tt.want {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
}

// TestDecodeAllocatesOnce checks that the buffer for the output is allocated once.
func TestDecodeAllocatesOnce(t *testing.T) {
	block := []byte{0x1f, 'a', 1, 0, 255, 255, 10, 0x50, 'b', 'b', 'b', 'b', 'b'} // a, 539 repetitions of it, and b
	if n := testing.AllocsPerRun(10, func() {
		if out, err := Decode(block, 1000); err != nil || len(out) != 545 {
			t.Fatalf("%d bytes, %v", len(out), err)
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
