//go:build packed

package corpus

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed corpus.zip
var archive string

// Files holds the cases.
var Files files

// files reads the archive, which is opened by the first who asks: most processes ask for nothing.
type files struct{}

var opened = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(strings.NewReader(archive), int64(len(archive)))
})

func (files) Open(name string) (fs.File, error) {
	z, err := opened()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return z.Open(name)
}

func (f files) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(opener{f}, name) }
func (f files) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(opener{f}, name) }

// opener has Open alone, by which package fs reads the rest.
type opener struct{ fs.FS }
