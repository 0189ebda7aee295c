package attempt

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// LongAgo is the modification time of the files before a link and of the sources of its inputs. It is fixed because line
// tables contain dates.
var LongAgo = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Files holds the contents of a folder by slash-separated name.
type Files map[string][]byte

// Names returns the names in order.
func (f Files) Names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// ReadOptional reads a file. It returns nil if the file does not exist.
func ReadOptional(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// ReadTree reads every file below dir. If the folder does not exist, there are no files.
func ReadTree(fsys fs.FS, dir string) (Files, error) {
	files := Files{}
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, dir+"/")], err = ReadEntry(fsys, name, d)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, err
}

// ReadEntry reads a file. It does not open a pipe or a link that a linker left behind. Instead, it returns the name of
// the file's type as the contents.
func ReadEntry(fsys fs.FS, name string, d fs.DirEntry) ([]byte, error) {
	if !d.Type().IsRegular() {
		return []byte(d.Type().String()), nil
	}
	return fs.ReadFile(fsys, name)
}

// Write writes the files to the folder dir.
func (f Files) Write(dir string) error {
	for _, name := range f.Names() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, f[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Changes returns the names whose contents differ between two folders, sorted.
func Changes(a, b Files) []string {
	var names []string
	for name, data := range a {
		if other, ok := b[name]; !ok || !bytes.Equal(data, other) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
