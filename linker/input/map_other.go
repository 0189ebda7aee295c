//go:build !linux

package input

import (
	"errors"
	"os"
)

// mapFile maps no file: on other systems the effects of truncating a mapped file are less well defined.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) {}

func openFile(path string) (*os.File, error) { return os.Open(path) }
