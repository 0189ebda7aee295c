// Package fuzz holds the fuzz targets of culink. Any input is handled without a panic or hang, and the invariants of
// each package hold.
package fuzz

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/linker/cubintext"
)

// FuzzText: a text that parses gives a file whose printed form gives the same file again (TEXT-001). So do any bytes
// that are not a text.
func FuzzText(f *testing.F) {
	names, err := filepath.Glob("../linker/cubintext/testdata/*.cubin")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) > 4000 {
			continue // the engine minimises large inputs slowly
		}
		f.Add(data)
		f.Add([]byte(cubintext.Format(data)))
	}
	f.Add([]byte("cutext 1\nheader sm=90 length=100\nsection .symtab\n\tsymbol k weak func undef\nat 3\n\tu16 @k\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if built, err := cubintext.Parse("x", string(data)); err == nil {
			if len(built) > 1<<20 {
				return
			}
			data = built
		}
		again, err := cubintext.Parse("x", cubintext.Format(data))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, data) {
			t.Fatal("the bytes do not come back")
		}
	})
}
