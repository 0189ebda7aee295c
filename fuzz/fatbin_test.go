package fuzz

import (
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/input"
)

// FuzzFatbin parses and decodes any bytes as a fat binary. This does not panic, no decoded entry is larger than its
// stated size, and the selected entry fits the target (LOAD-017, LOAD-018).
func FuzzFatbin(f *testing.F) {
	payload := make([]byte, 300)
	concat := craft.Entry{Kind: uint16(fatbin.Concat), Compress: "zstd", Images: []craft.Entry{
		{Kind: 1, Arch: 80, Options: "-O0", Payload: payload[:40]}, {Kind: 2, Arch: 90, Ident: "k.cu", Payload: payload},
		{Kind: 2, Arch: 100, Flags: fatbin.FlagCompat, Options: "\x00\x02\x02\x01\x00", Payload: payload},
	}}
	f.Add(craft.Fatbin())
	f.Add(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: payload, Ident: "k.cu"}, craft.Entry{Kind: 1, Arch: 80, Payload: payload, Options: "-O0"}))
	f.Add(craft.Fatbin(craft.Entry{Kind: 2, Arch: 100, Flags: fatbin.FlagCompat, Options: "\x00\x02\x02\x01\x00", Payload: payload, Compress: "lz4"}))
	f.Add(craft.Fatbin(craft.Entry{Kind: 8, Arch: 90, Flags: fatbin.FlagSuffixA, Payload: payload, Compress: "zstd"}))
	f.Add(craft.Fatbin(concat))
	f.Add(craft.Fatbin(craft.Entry{Kind: 1, Arch: 80, Payload: payload}, concat)[:400])
	targets := arch.Default.Names()
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := fatbin.Parse(data)
		if err == nil && !fatbin.IsFatbin(data) {
			t.Fatal("parsed what is no fat binary")
		}
		if len(entries) > len(data) {
			t.Fatalf("%d entries in %d bytes", len(entries), len(data))
		}
		for i := range entries {
			e := &entries[i]
			if e.DecodedSize > 1<<24 && e.Compression() != fatbin.Plain {
				continue // allowed, but slow
			}
			out, err := e.Decode()
			switch {
			case err != nil:
			case e.Compression() == fatbin.Plain && uint64(len(out)) != e.PayloadSize:
				t.Fatalf("entry %d: %d bytes, %d said", i, len(out), e.PayloadSize)
			case e.Compression() != fatbin.Plain && uint64(len(out)) != e.DecodedSize && len(out) > 0:
				t.Fatalf("entry %d: %d bytes decoded, %d said", i, len(out), e.DecodedSize)
			}
		}
		expanded, _ := fatbin.Expand(entries)
		if len(expanded) > 2*len(data) {
			t.Fatalf("%d entries and images in %d bytes", len(expanded), len(data))
		}
		for _, target := range targets {
			e, err := input.Options{Arch: target}.Choose(expanded)
			if err != nil {
				t.Fatal(err)
			}
			if e == nil || e.DecodedSize > 1<<24 {
				continue
			}
			if out, err := e.Decode(); err == nil && e.Compression() != fatbin.Plain && uint64(len(out)) > e.DecodedSize {
				t.Fatalf("%s: %d bytes of an image, %d said of all", target, len(out), e.DecodedSize)
			}
		}
	})
}
