package fatbin

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/culink/culink/fuzz/craft"
)

// BenchmarkDecode decodes a small and a large payload, of the sizes found in objects and in whole libraries.
func BenchmarkDecode(b *testing.B) {
	for _, size := range []int{5 << 10, 8 << 20} {
		for _, how := range []string{"lz4", "zstd"} {
			payload := bytes.Repeat([]byte("some machine code, some more; "), size/30)
			entries, err := Parse(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: payload, Compress: how}))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", how, size), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(payload)))
				for b.Loop() {
					if _, err := entries[0].Decode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
