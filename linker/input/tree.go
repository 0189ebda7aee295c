package input

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Inputs are looked up either among the files of the system or in a file system of the caller. The latter
// may be files embedded in a program (go:embed), an archive, or the files of a test.

// A tree is a file system for look-ups. The zero value stands for the files of the system.
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

// A treeInfo describes a file in a file system of the caller. Only its path identifies it.
type treeInfo struct {
	fs.FileInfo
	path string
}

// isSame reports whether two descriptions are of the same file, even under different names.
func isSame(a, b fs.FileInfo) bool {
	if a, ok := a.(treeInfo); ok {
		b, ok := b.(treeInfo)
		return ok && a.path == b.path
	}
	return os.SameFile(a, b)
}

// path returns the path of a file in the tree.
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
