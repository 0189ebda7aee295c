//go:build !windows

package output

import "os"

// create creates a file. The name must be new.
func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// keep does nothing, because a file that [create] made remains.
func keep(*os.File) error { return nil }

func rename(from, to string) error { return os.Rename(from, to) }
