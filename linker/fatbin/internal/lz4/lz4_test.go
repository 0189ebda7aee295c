package lz4

import (
	"bytes"
	"testing"

	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"
)

// contents draws bytes that repeat themselves, as code does.
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

// What the library has compressed decodes to what it was.
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

// Of a damaged block comes what the library makes of it, or an error where it has one.
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
		if (err == nil) != (failure == nil) {
			t.Fatalf("%v, and of the library %v: %x", err, failure, block)
		}
		if err == nil && !bytes.Equal(got, want[:n]) {
			t.Fatalf("%d bytes %x, want %d %x", len(got), got, n, want[:n])
		}
	})
}

// TestDecodeAllocatesOnce: the room for what the block decodes to is taken once.
func TestDecodeAllocatesOnce(t *testing.T) {
	block := []byte{0x1f, 'a', 1, 0, 255, 255, 10, 0x10, 'b'} // a, 539 times more, b
	if n := testing.AllocsPerRun(10, func() {
		if out, err := Decode(block, 1000); err != nil || len(out) != 541 {
			t.Fatalf("%d bytes, %v", len(out), err)
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
