package fuzz

import (
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/limit"
)

// FuzzArchive reads any bytes as an archive. Reading does not panic, no member follows an error, and the members are no
// larger than the file (LOAD-020, WIN-011).
func FuzzArchive(f *testing.F) {
	long := craft.Member{Name: "//", Data: []byte("a_long_name.o/\nanother_one.o/\n")}
	f.Add(craft.Archive(craft.Member{Name: "a.o/", Data: []byte("odd")}, long, craft.Member{Name: "/0", Data: []byte("even")}))
	f.Add(craft.Thin(long, craft.Member{Name: "/15", Size: "100"}, craft.Member{Name: "b.o/", Size: "3"}))
	f.Add(craft.Archive(craft.Member{Name: "/", Data: make([]byte, 12)}, craft.Member{Name: "a/", Size: "999999999"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, how := range []archive.Reading{archive.Loose, archive.Bounded, archive.Microsoft, archive.Microsoft | archive.Bounded} {
			total, failed := 0, false
			for m, err := range how.Members(data, new(limit.Budget)) {
				if failed {
					t.Fatal("more after an error")
				}
				failed = err != nil
				total += len(m.Data) + archive.HeaderSize
				if !failed && archive.IsThin(data) && m.Data != nil {
					t.Fatal("a thin archive's member has contents")
				}
			}
			if total > len(data)+archive.HeaderSize {
				t.Fatalf("%d bytes of members in %d bytes", total, len(data))
			}
		}
	})
}
