package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"testing"

	"github.com/culink/culink/corpus"
)

// The released cuconform is below 60 MB, of which its code takes less than 15.
const most = 45_000_000

// The archive holds what is embedded without it, twice the same, and is small.
func TestPack(t *testing.T) {
	data, err := pack(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > most {
		t.Errorf("the archive has %d bytes, more than %d", len(data), most)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = fs.WalkDir(corpus.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		want, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(z, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other contents, %v", name, err)
		}
		return nil
	})
	if err != nil || files == 0 || files != len(z.File) {
		t.Errorf("%d files, %d in the archive, %v", files, len(z.File), err)
	}
}
