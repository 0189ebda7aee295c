package input

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Names of inputs are looked up among the files of the system, or in a tree of the caller's: files inside of a
// program (go:embed), an archive, a test's.

// A tree is where names are looked up. The zero tree is the files of the system.
type tree struct{ files fs.FS }

// stat describes the file at a path.
func (t tree) stat(name string) (fs.FileInfo, error) {
	if t.files == nil {
		return os.Stat(name)
	}
	info, err := fs.Stat(t.files, name)
	if err != nil {
		return nil, err
	}
	return treeInfo{info, name}, nil
}

// open opens the file at a path for reading.
func (t tree) open(name string) (fs.File, error) {
	if t.files == nil {
		return os.Open(name)
	}
	return t.files.Open(name)
}

// A treeInfo describes a file of a caller's tree, in which a file is known by its path alone.
type treeInfo struct {
	fs.FileInfo
	path string
}

// isSame reports whether two descriptions are of one file, whatever its names are.
func isSame(a, b fs.FileInfo) bool {
	if a, ok := a.(treeInfo); ok {
		b, ok := b.(treeInfo)
		return ok && a.path == b.path
	}
	return os.SameFile(a, b)
}

// path returns the place of a file in the tree that names are looked up in.
func (l *loader) path(name string) string {
	name = l.host.Local(name)
	switch {
	case l.opt.FS != nil:
		return path.Join(filepath.ToSlash(l.opt.Folder), filepath.ToSlash(name))
	case l.opt.Folder == "" || filepath.IsAbs(name):
		return name
	}
	return filepath.Join(l.opt.Folder, name)
}
