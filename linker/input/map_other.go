//go:build !linux

package input

import (
	"errors"
	"os"
)

// mapFile maps no file, because on other systems the effect of truncating a mapped file is less well
// defined.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func openFile(path string) (*os.File, error) { return os.Open(path) }
