package fuzz

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// FuzzInput loads a file of any bytes with any suffix. This does not panic. Every loaded object is a valid cubin, and a
// failed load has a reason (LOAD-011, LOAD-012, LOAD-026).
func FuzzInput(f *testing.F) {
	suffixes := []string{".cubin", ".o", ".fatbin", ".ptx", ".a", ".so", ""}
	// The fuzz engine takes long to minimise large inputs. So this seed has only a header that is valid for sm_80, and a
	// name table.
	w := craft.HostObject()
	w[7], w[8], w[18], w[48], w[49] = cubin.OSABI, cubin.ABIVersion, cubin.Machine, 4, 80
	fatbin := craft.Fatbin(craft.Entry{Kind: 2, Arch: 80, Payload: w, Compress: "zstd"})
	host := craft.RDC(fatbin, "_w", craft.Section{Name: ".nvHRKE", Data: []byte("w\x00")})
	f.Add(uint8(0), w)
	f.Add(uint8(1), host)
	f.Add(uint8(2), fatbin)
	f.Add(uint8(3), []byte(".version 9.0\n.target sm_90\n.address_size 64\n// no code, but long enough to be read\n"))
	f.Add(uint8(4), craft.Archive(craft.Member{Name: "m.o/", Data: host}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, suffix uint8, data []byte) {
		name := filepath.Join(dir, "x"+suffixes[int(suffix)%len(suffixes)])
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var log diag.Log
		loaded, err := input.Load(context.Background(), input.Options{Arch: "sm_80", Files: []string{name}}, &log)
		if err != nil {
			if log.ExitStatus() != diag.ExitFatal {
				t.Fatalf("%v, but exit status %d", err, log.ExitStatus())
			}
			return
		}
		for _, o := range loaded.Objects {
			if _, err := cubin.Open(o.Name, o.Data); err != nil {
				t.Fatal(err)
			}
		}
	})
}
