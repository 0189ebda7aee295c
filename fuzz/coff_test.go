package fuzz

import (
	"testing"
	"testing/fstest"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// FuzzCOFF reads any bytes as a Windows object file, complete and truncated. Reading does not panic, and the sections
// lie in the file (WIN-003). The contents are loaded, or an error explains why not.
func FuzzCOFF(f *testing.F) {
	fat := craft.Fatbin(craft.Entry{Kind: 2, Arch: 80, Payload: []byte("\x7fELF")})
	object := craft.RDCWindows(fat, "_module", craft.Section{Name: ".nvHRKE", Data: []byte("kernel\x00")})
	f.Add(object.Encode(), uint16(0))
	object.Big = true
	f.Add(object.Encode(), uint16(30))
	f.Add(craft.Archive(craft.Member{Name: "/", Data: make([]byte, 12)}, craft.Member{Name: "a.obj/", Data: object.Encode()}), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, missing uint16) {
		if coff.Is(data) {
			if file, err := coff.Open(data, uint64(len(data))+uint64(missing)); err == nil {
				for _, name := range []string{"__nv_relfatbin", ".nvFatBinSegment", "__nv_module_id", ".nvHRKE", ".text"} {
					if s, _ := file.Section(name); len(s.Data) > len(s.Rest) || len(s.Rest) > len(data) {
						t.Fatalf("%s: %d of %d bytes", name, len(s.Data), len(s.Rest))
					}
				}
			}
		}
		log := &diag.Log{}
		opt := input.Options{Arch: "sm_80", Platform: "windows", FS: fstest.MapFS{"a.obj": {Data: data}}, Files: []string{"a.obj"}}
		if _, err := input.Load(t.Context(), opt, log); (err != nil) != (log.Worst() == diag.Fatal) {
			t.Fatalf("%v, but %v", err, log.Diagnostics)
		}
	})
}
