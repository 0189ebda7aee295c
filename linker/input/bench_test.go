package input

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
)

// BenchmarkLoad loads an archive of 4,000 host objects with compressed code.
func BenchmarkLoad(b *testing.B) {
	w, err := os.ReadFile("testdata/w.90.cubin")
	if err != nil {
		b.Fatal(err)
	}
	object := craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: w, Compress: "zstd"}), "_w")
	members := make([]craft.Member, 4000)
	for i := range members {
		members[i] = craft.Member{Name: "w.o/", Data: object}
	}
	name := filepath.Join(b.TempDir(), "libw.a")
	if err := os.WriteFile(name, craft.Archive(members...), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var log diag.Log
		loaded, err := Load(context.Background(), Options{Arch: "sm_90", Files: []string{name}}, &log)
		if err != nil || len(loaded.Objects) != len(members) {
			b.Fatal(err)
		}
	}
}
