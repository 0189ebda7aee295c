//go:build unix

package sandbox

import (
	"io/fs"
	"syscall"
)

// linksTo returns the number of names that a file has.
func linksTo(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 0
}
