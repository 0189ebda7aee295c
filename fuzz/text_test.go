// Package fuzz has the fuzz targets of culink. For any input there must be no panic and no hang, and the conditions that
// each package promises must hold.
package fuzz

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/linker/cubintext"
)

// FuzzText parses any bytes as the text form. If they parse, the resulting file, printed and parsed again, is the same
// (TEXT-001). Any bytes that are not a text are printed and parsed in the same way.
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
			continue // the engine takes long to minimise large inputs
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
