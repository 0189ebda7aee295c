package zstd

import (
	"bytes"
	"io"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// contents returns data of several kinds: random bytes, repetitions, few symbols, words.
func contents(r *rand.Rand, size int) []byte {
	data := make([]byte, 0, size)
	few := 1 + r.IntN(256)
	for len(data) < size {
		switch n := 1 + r.IntN(200); {
		case len(data) > 0 && r.IntN(3) > 0:
			from := r.IntN(len(data))
			data = append(data, data[from:min(len(data), from+n)]...)
		case r.IntN(4) == 0:
			data = append(data, bytes.Repeat([]byte{byte(r.IntN(few))}, n)...)
		default:
			for range n {
				data = append(data, byte(min(r.IntN(few), r.IntN(few))))
			}
		}
	}
	return data[:size]
}

func compress(t testing.TB, data []byte, options ...zstd.EOption) []byte {
	w, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// library decodes data with another decoder and the same limits.
func library(t testing.TB, data []byte, size uint64) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(max(minWindow, size)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, int64(size)+1))
}

// TestDecode checks that the output of an encoder is decoded, for all sizes and levels.
func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 80 {
		size := r.IntN(1 << r.IntN(18))
		data := contents(r, size)
		packed := compress(t, data, zstd.WithEncoderLevel(zstd.EncoderLevel(1+i%4)), zstd.WithEncoderCRC(i%2 == 0), zstd.WithSingleSegment(i%3 == 0))
		if got, err := Decode(packed, uint64(size)); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("contents %d of %d bytes: %v, %d bytes", i, size, err, len(got))
		}
	}
}

// TestLongestCodes checks literals of which some have codes of 11 bits, and that codes of 12 are refused (RFC 8878, section 4.2.1).
func TestLongestCodes(t *testing.T) {
	// One symbol of each weight, and once more the lowest, have codes of all lengths up to the largest weight.
	for longest, want := range map[int]bool{10: true, 11: true, 12: false} {
		weights := []uint8{1}
		for w := 1; w < longest; w++ {
			weights = append(weights, uint8(w))
		}
		made, err := makeCodes(weights)
		if (err == nil) != want {
			t.Errorf("codes of %d bits: %v", longest, err)
		}
		if err == nil && made[0] != (code{0, uint8(longest)}) {
			t.Errorf("codes of %d bits: the first is %+v", longest, made[0])
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 1<<16)
	for i := range data {
		data[i] = byte(bits.LeadingZeros32(r.Uint32()))
	}
	packed := compress(t, data)
	if got, err := Decode(packed, uint64(len(data))); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestDecodeFrames checks several frames in a row, of which some are skippable.
func TestDecodeFrames(t *testing.T) {
	packed := compress(t, []byte("one "))
	packed = append(packed, 0x5c, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'n', 'o', 't')
	packed = append(packed, compress(t, []byte("two"))...)
	if got, err := Decode(packed, 7); err != nil || string(got) != "one two" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestDecodeRoom checks that the buffer for the output is allocated once. Nothing is allocated for an output
// that is larger than allowed, nor for a size that the blocks do not contain.
func TestDecodeRoom(t *testing.T) {
	const size = 20 << 20
	packed := compress(t, make([]byte, size), zstd.WithWindowSize(1<<20))
	small := compress(t, []byte("some text"), zstd.WithEncoderCRC(false))
	if got, err := Decode(packed, size); err != nil || len(got) != size || cap(got) != size {
		t.Errorf("%v, %d bytes in %d", err, len(got), cap(got))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Decode(packed, 1000); err == nil {
		t.Error("more than allowed is no error")
	}
	if got, err := Decode(small, size); err != nil || len(got) != 9 {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes of memory", after.TotalAlloc-before.TotalAlloc)
	}
}

// TestDecodeDamaged checks that damaged data decodes to the same bytes as with the other decoder, or to an
// error.
func TestDecodeDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var whole [16][]byte
	for i := range whole {
		whole[i] = compress(t, contents(r, 1+r.IntN(3000)), zstd.WithEncoderLevel(zstd.EncoderLevel(1+i%4)), zstd.WithEncoderCRC(false))
	}
	for i := range 1000 {
		packed := bytes.Clone(whole[i%len(whole)])
		for range 1 + r.IntN(3) {
			packed[r.IntN(len(packed))] ^= 1 << r.IntN(8)
		}
		if r.IntN(4) == 0 {
			packed = packed[:r.IntN(len(packed)+1)]
		}
		const size = 4000
		got, err := Decode(packed, size)
		want, other := library(t, packed, size)
		if (err == nil) != (other == nil) && len(want) <= size {
			t.Errorf("contents %d: %v; the other decoder: %v", i, err, other)
		}
		if err == nil && other == nil && !bytes.Equal(got, want) {
			t.Errorf("contents %d: other bytes", i)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(compress(f, []byte("some text, some text, some more text")))
	f.Add(compress(f, contents(rand.New(rand.NewPCG(5, 6)), 2000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		const size = 1 << 16
		got, err := Decode(data, size)
		if want, other := library(t, data, size); err == nil && other == nil && !bytes.Equal(got, want) {
			t.Errorf("other bytes")
		}
	})
}

// TestUsualTables checks that the default tables have all symbols of section 3.1.1.3.2.2. For every next
// state, one state of each symbol leads to it (section 4.1).
func TestUsualTables(t *testing.T) {
	for _, tt := range []struct {
		name    string
		field   field
		symbols int
	}{{"length", lengthField, 36}, {"distance", distanceField, 29}, {"copy", copyField, 53}} {
		states := tt.field.usual()
		from := map[uint8][]int{} // by symbol and next state: number of states that lead there
		for _, s := range states {
			if from[s.symbol] == nil {
				from[s.symbol] = make([]int, len(states))
			}
			for next := range 1 << s.bits {
				if to := int(s.base) + next; to < len(states) {
					from[s.symbol][to]++
				}
			}
		}
		if len(from) != tt.symbols {
			t.Errorf("%s: %d symbols, want %d", tt.name, len(from), tt.symbols)
		}
		for symbol, list := range from {
			if i := slices.IndexFunc(list, func(n int) bool { return n != 1 }); i >= 0 {
				t.Errorf("%s: %d states of symbol %d lead to %d", tt.name, list[i], symbol, i)
			}
		}
	}
}
