package fatbin

import (
	"bytes"
	"errors"
	"testing"

	"github.com/culink/culink/fuzz/craft"
)

// Alone returns the entry for the plain architecture (LTO-011).
func TestAlone(t *testing.T) {
	for _, suffix := range []uint64{0, FlagSuffixA, FlagSuffixF} {
		payload := bytes.Repeat([]byte("code"), 20)
		all := craft.Fatbin(
			craft.Entry{Kind: 2, Arch: 80, Payload: []byte("machine code....")},
			craft.Entry{Kind: 8, Arch: 90, Flags: suffix, Options: "-ftz=1 ", Payload: payload, Compress: "zstd"},
			craft.Entry{Kind: 1, Arch: 90, Payload: []byte("text of PTX.....")})
		entries, err := Parse(all)
		if err != nil || len(entries) != 3 {
			t.Fatal(len(entries), err)
		}
		alone, err := entries[1].Alone()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(alone)
		if err != nil || len(got) != 1 {
			t.Fatalf("%d entries, %v", len(got), err)
		}
		e := got[0]
		data, err := e.Decode()
		if e.Kind != LTOIR || e.Arch != 90 || e.Suffix != 0 || string(e.Options) != "-ftz=1 " || err != nil || !bytes.Equal(data, payload) {
			t.Errorf("suffix %#x: %+v, %q, %v", suffix, e, data, err)
		}
		if want := entries[1].Flags &^ suffix; e.Flags != want {
			t.Errorf("flags %#x, want %#x", e.Flags, want)
		}
	}
}

func TestAloneOfDamagedEntry(t *testing.T) {
	data := craft.Fatbin(craft.Entry{Kind: 8, Arch: 90, Payload: make([]byte, 64)})
	entries, err := Parse(data[:len(data)-8])
	if err != nil {
		t.Fatal(err)
	}
	var damage *FormatError
	if _, err := entries[0].Alone(); !errors.As(err, &damage) {
		t.Errorf("a payload past the end of the file: %v", err)
	}
}
