// Pack makes the archive of the corpus that is embedded with the build tag packed:
//
//	go generate ./corpus
//
// It holds what is embedded without the tag, and has the same bytes wherever it is made.
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"github.com/culink/culink/corpus"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pack FILE")
		os.Exit(2)
	}
	data, err := pack(corpus.Files)
	if err == nil {
		err = os.WriteFile(os.Args[1], data, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack returns an archive of files.
func pack(files fs.FS) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
