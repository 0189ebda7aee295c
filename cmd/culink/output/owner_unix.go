//go:build unix

package output

import (
	"io/fs"
	"os"
	"syscall"
)

// giveTo sets the owner and group of f to those of old.
func giveTo(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, _ := info.Sys().(*syscall.Stat_t)
	was, _ := old.Sys().(*syscall.Stat_t)
	if is == nil || was == nil || is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}
