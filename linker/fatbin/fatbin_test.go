package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"pgregory.net/rapid"
)

// TestDecode checks that an encoded payload is decoded to the same bytes, however it is stored.
func TestDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 20, 60).Draw(t, "bytes"), rapid.IntRange(4, 40).Draw(t, "times"))
		in := craft.Entry{
			Kind:     rapid.SampledFrom([]uint16{1, 2, 8}).Draw(t, "kind"),
			Arch:     rapid.Uint32Range(0, 200).Draw(t, "arch"),
			Flags:    rapid.SampledFrom([]uint64{0, FlagSuffixA, FlagSuffixF}).Draw(t, "flags"),
			Ident:    rapid.StringMatching(`[a-z/]{0,20}`).Draw(t, "ident"),
			Options:  rapid.StringMatching(`[-a-z ]{0,20}`).Draw(t, "options"),
			Payload:  want,
			Compress: rapid.SampledFrom([]string{"", "lz4", "zstd"}).Draw(t, "compression"),
		}
		n := rapid.IntRange(1, 3).Draw(t, "entries")
		entries, err := Parse(append(craft.Fatbin([]craft.Entry{in, in, in}[:n]...), "behind"...))
		if err != nil || len(entries) != n {
			t.Fatalf("%d entries, want %d; error %v", len(entries), n, err)
		}
		for i, e := range entries {
			suffix := map[uint64]byte{0: 0, FlagSuffixA: 'a', FlagSuffixF: 'f'}[in.Flags]
			if e.Index != i || uint16(e.Kind) != in.Kind || uint32(e.Arch) != in.Arch || e.Suffix != suffix ||
				string(e.Ident) != in.Ident || string(e.Options) != in.Options {
				t.Fatalf("entry %d is %+v, want %+v", i, e, in)
			}
			got, err := e.Decode()
			if in.Compress == "" { // with padding
				got = got[:min(len(want), len(got))]
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("decoded %d bytes, want %d; error %v", len(got), len(want), err)
			}
		}
	})
}

// TestDecodeErrors checks that the messages contain the entry (LOAD-018, LOAD-027).
func TestDecodeErrors(t *testing.T) {
	payload := []byte(strings.Repeat("some payload ", 30))
	const first = HeaderSize
	le32 := func(b []byte, at int, v uint32) {
		copy(b[at:], []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
	}
	for _, tt := range []struct {
		compress string
		offset   int
		value    uint32
		want     error
	}{
		{"zstd", craft.EntryCompressedSize, 10, ErrCorrupt},
		{"zstd", craft.EntryCompressedSize, 1 << 20, ErrTruncated},
		{"zstd", craft.EntryCompressedSize, 0, ErrShort},
		{"zstd", craft.EntryDecodedSize, 10, ErrCorrupt},
		{"zstd", craft.EntryDecodedSize, 1000, ErrShort},
		{"zstd", craft.EntryDecodedSize, 1<<30 + 1, ErrShort},
		{"zstd", craft.EntryDecodedSize + 4, 9, ErrTooLarge},
		{"lz4", craft.EntryDecodedSize, 10, ErrCorrupt},
		{"lz4", craft.EntryDecodedSize, 1000, ErrShort},
		{"lz4", craft.EntryDecodedSize, 1 << 30, ErrShort},
		{"lz4", craft.EntryDecodedSize + 4, 1, ErrShort},
		{"lz4", craft.EntryDecodedSize + 4, 9, ErrTooLarge},
		{"lz4", craft.EntryFlags, 0x1011, ErrUnknownCompression},
		{"", craft.EntryPayloadSize, 1 << 20, ErrTruncated},
	} {
		b := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: payload, Compress: tt.compress})
		le32(b, first+tt.offset, tt.value)
		entries, err := Parse(b)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%d entries; error %v", len(entries), err)
		}
		_, err = entries[0].Decode()
		var d *DecodeError
		if !errors.Is(err, tt.want) || !errors.As(err, &d) || !strings.HasPrefix(err.Error(), "fat binary: entry 0 (sm_90.elf): ") {
			t.Errorf("%q, %d at %d: %v, want %v", tt.compress, tt.value, tt.offset, err, tt.want)
		}
	}
}

// TestDecodeAtMost checks that a payload of exactly the limit is decoded.
func TestDecodeAtMost(t *testing.T) {
	payload := []byte(strings.Repeat("some payload ", 30))
	for _, compress := range []string{"lz4", "zstd"} {
		entries, err := Parse(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: payload, Compress: compress}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entries[0].DecodeAtMost(uint64(len(payload))); err != nil {
			t.Errorf("%s: %v", compress, err)
		}
		if _, err := entries[0].DecodeAtMost(uint64(len(payload)) - 1); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: one byte too many: %v", compress, err)
		}
	}
}

// TestReservedCompression checks that a payload with an unused compression is corrupt if it has
// certain sizes (LOAD-018).
func TestReservedCompression(t *testing.T) {
	for size, want := range map[uint32]error{0: nil, 1: ErrUnknownCompression, 6: ErrUnknownCompression, 7: ErrCorrupt, 18: ErrCorrupt, 19: ErrUnknownCompression} {
		_, err := (&Entry{Flags: FlagReserved, CompressedSize: size}).Decode()
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", size, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	good := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: make([]byte, 64)})
	if _, err := Parse(good[:10]); !errors.Is(err, ErrMagic) {
		t.Errorf("10 bytes: %v", err)
	}
	bad := bytes.Clone(good)
	bad[4] = 2
	if _, err := Parse(bad); !errors.Is(err, ErrVersion) {
		t.Errorf("version 2: %v", err)
	}
	var f *FormatError
	if _, err := Parse(good[:40]); !errors.As(err, &f) || f.Offset != HeaderSize {
		t.Errorf("40 bytes: %v", err)
	}
	none := bytes.Clone(good)
	clear(none[HeaderSize+craft.EntryHeaderSize : HeaderSize+16]) // no size at all
	if _, err := Parse(none); !errors.As(err, &f) || !strings.Contains(err.Error(), "entry without size") {
		t.Errorf("entry without size: %v", err)
	}
}

// The entries of a fat binary are read even if its header states far more bytes than there are
// (errata E-531).
func TestHugeTotal(t *testing.T) {
	data := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: make([]byte, 64)})
	for _, total := range []uint64{0x80000398, 1 << 32, 1 << 35} {
		binary.LittleEndian.PutUint64(data[8:], total)
		var f *FormatError
		if entries, err := Parse(data); len(entries) != 1 || !errors.As(err, &f) || f.Offset != int64(len(data)) {
			t.Errorf("%#x bytes: %d entries, %v", total, len(entries), err)
		}
	}
}
