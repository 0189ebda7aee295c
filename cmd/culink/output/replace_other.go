//go:build !linux

package output

import (
	"errors"
	"os"
)

// nameless fails, because only Linux supports files that are created without a name and named later.
func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveName(*os.File, string) error { return errors.ErrUnsupported }

func uninterrupted(f func()) { f() }

// replaceable returns true, because no attribute is known that a new file would lose on this system.
func replaceable(string) bool { return true }
